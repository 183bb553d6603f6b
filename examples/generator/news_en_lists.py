"""Menus, other headlines and advertisements of the English news site."""

NAME = "The Wexley Courier"
HOST = "https://news.example.org/"

SECTIONS = {
    "world": "World",
    "city": "City",
    "business": "Business",
    "science": "Science",
    "sport": "Sport",
    "culture": "Culture",
}

MENU = {
    "World": ["Africa", "Americas", "Asia", "Europe", "Middle East", "Oceania", "Correspondents"],
    "City": ["Council", "Transport", "Housing", "Schools", "Courts", "Harbour", "Obituaries"],
    "Business": ["Companies", "Markets", "Property", "Farming", "Energy", "Work", "Money"],
    "Science": ["Environment", "Space", "Health", "Oceans", "Technology", "Archaeology"],
    "Sport": ["Football", "Rowing", "Cricket", "Athletics", "Cycling", "Sailing", "Results"],
    "Culture": ["Books", "Film", "Music", "Stage", "Radio", "Art", "Food", "Listings"],
    "Opinion": ["Leaders", "Columnists", "Letters", "Cartoon", "The Monday essay"],
    "Weekend": ["Walks", "Gardens", "Recipes", "Motoring", "Crossword", "Chess"],
}

FOOT = {
    "Courier": ["About us", "Our newsroom", "Ownership", "Careers", "Print edition", "Archive since 1887"],
    "Contact": ["Write to the editor", "Send a tip", "Report an error", "Subscriptions", "Delivery problems"],
    "Services": [
        "Births, marriages, deaths",
        "Public notices",
        "Jobs",
        "Homes",
        "Planning applications",
        "Tide tables",
    ],
    "Advertise": ["Rates and sizes", "Classified", "Sponsored features", "Business directory"],
    "Legal": ["Terms of use", "Privacy", "Cookies", "Complaints procedure", "Accessibility", "Licensing"],
}

# Headlines of articles that are not part of the example: they fill the hot list and the related lists.
OTHERS = [
    ("council-freezes-parking-fees", "Council freezes parking fees until the autumn"),
    ("hospital-car-park-flooded", "Hospital car park under water for the third time this year"),
    ("twins-win-chess-title", "Twins, 12, share the county chess title after a five-hour draw"),
    ("bakery-queue-record", "The bun that stops traffic: why Fore Street queues at dawn"),
    ("lighthouse-for-sale", "For sale: one lighthouse, two bedrooms, 138 steps"),
    ("school-bus-driver-retires", "After a million miles, the driver of the S12 hangs up his keys"),
    ("river-otters-weir", "Otters return to the weir, and anglers are not pleased"),
    ("rates-held-third-month", "Central bank holds rates for a third month"),
    ("shipyard-apprentices", "Shipyard takes on its largest class of apprentices since 1979"),
    ("potholes-by-postcode", "Potholes by postcode: how long your street waits"),
    ("glacier-film-festival", "Film about a melting glacier takes the festival’s top prize"),
    ("allotment-waiting-list", "The eleven-year wait for an allotment"),
    ("cyclist-crosses-continent", "Postman crosses a continent by bicycle, delivers one letter"),
    ("vaccine-van-islands", "A vaccine van that goes by boat"),
    ("choir-of-strangers", "The choir that has never met"),
    ("rowers-lose-oar", "Rowers lose an oar, a race and a bet"),
    ("museum-whale-moved", "How to carry a whale down a staircase"),
    ("drought-orders-lifted", "Drought orders lifted in four counties"),
    ("fish-quota-agreement", "Late-night agreement on fish quotas leaves both sides cross"),
    ("wind-farm-appeal", "Judges reject final appeal against hilltop wind farm"),
    ("teachers-pay-ballot", "Teachers to be balloted on pay offer"),
    ("old-cinema-saved", "Old cinema saved, popcorn machine included"),
    ("cheese-thief-jailed", "Man who stole two tonnes of cheese is jailed"),
    ("border-bridge-inspection", "Border bridge closed after inspection finds rust in the bearings"),
    ("volcano-village-evacuated", "Village below the volcano spends a second week in tents"),
    ("election-recount-nine-votes", "A recount, nine votes and a very tired returning officer"),
    ("satellite-burns-up", "Satellite the size of a fridge burns up over the ocean"),
    ("coffee-harvest-frost", "Frost halves the coffee harvest in the highlands"),
    ("bees-on-town-hall", "Bees on the town hall roof outvote the council"),
    ("marathon-dog-finishes", "A dog finishes the marathon, again"),
    ("housing-old-barracks", "Plan for 420 homes on the site of the old barracks"),
    ("night-sky-ordinance", "Street lights to go out at midnight on the moor"),
    ("novelist-burns-draft", "The novelist who burns each first draft"),
    ("goat-yoga-licence", "Goat yoga: does it need a licence?"),
    ("sea-wall-survey", "Sea wall survey finds 61 weak spots"),
    ("swimmers-water-quality", "Swimmers to get daily water quality figures"),
]

ADVERTS = [
    (
        "Pemberton Stoves",
        "Dry logs delivered to your door, free within ten miles. Order before the first frost.",
        "Get a quote",
    ),
    (
        "Northgate Credit Union",
        "A savings account that pays 4.1% and a cashier who knows your name.",
        "Open an account",
    ),
    ("Halyard Sailing School", "Learn the ropes in a weekend. Beginners’ courses from June.", "See dates"),
    ("Quill & Co. Opticians", "Second pair half price in May. Varifocals included.", "Book an eye test"),
    (
        "Moorland Mattresses",
        "Made in Wexley from local wool. A hundred nights to change your mind.",
        "Visit the showroom",
    ),
    ("Tideway Broadband", "900 megabits from 29 a month. No engineer, no drilling.", "Check your address"),
    ("The Grand Pavilion", "Matinee tickets from 9.50 all summer. Tea included on Wednesdays.", "Buy tickets"),
    ("Oakes Solicitors", "Wills, probate and conveyancing since 1924. First half hour free.", "Call us back"),
    ("Fernhill Garden Centre", "Three for two on all perennials until Sunday.", "Find us"),
    ("Brightside Solar", "Ten panels, one day, no scaffolding. Ask about the feed-in tariff.", "Calculate savings"),
]

POLLS = [
    ("Should trams be free of charge on Sundays?", ["Yes, for everybody", "For children only", "No", "I walk"]),
    ("How do you read the Courier?", ["On paper", "On a telephone", "On a computer", "Over somebody’s shoulder"]),
    ("Is the lido too cold in May?", ["Yes", "No", "It is always too cold"]),
]

JOBS = [
    ("Night porter", "Grand Pavilion Hotel", "26,400"),
    ("Primary teacher, year 5", "St Aldhelm’s", "34,100"),
    ("Tram driver (trainee)", "Wexley Transport", "31,750"),
    ("Baker", "Fore Street Bakehouse", "28,000"),
    ("Marine electrician", "Corran Slipways", "41,200"),
    ("Archivist, part time", "County Record Office", "19,800"),
    ("Care assistant", "Harbour View", "25,300"),
]
