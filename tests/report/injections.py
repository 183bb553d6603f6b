"""An article and a list that try everything to run a script, load something, or leave, wherever they are shown."""

MARKER = "window.pwned = 1"
ELSEWHERE = "http://elsewhere.invalid/"

_HEAD = f"""<!doctype html><html onload="{MARKER}"><head>
<title></title><script>{MARKER}</script> The harbour &lt;/title&gt;&lt;script&gt;{MARKER}&lt;/script&gt;</title>
<base href="{ELSEWHERE}"><meta http-equiv="refresh" content="0;url={ELSEWHERE}refresh">
<meta property="og:title" content="The &lt;img src=x onerror='{MARKER}'&gt; harbour is open again">
<link rel="stylesheet" href="{ELSEWHERE}style.css"><link rel="prefetch" href="{ELSEWHERE}next">
<style>@import url({ELSEWHERE}more.css); body {{ background: url({ELSEWHERE}back.png) }}</style>
<script src="{ELSEWHERE}script.js"></script>
<script type="application/ld+json">{{"headline": "<\\/script><script>{MARKER}<\\/script>"}}</script></head>"""

_BODY = f"""<body onpageshow="{MARKER}" background="{ELSEWHERE}body.png">
<h1 onclick="{MARKER}" class='"><script>{MARKER}</script>'>The harbour is open again <img src=x onerror="{MARKER}"></h1>
<p>The harbour of the town is open again after a long winter, and <a href="javascript:{MARKER}">the ferries</a> run as
before, says the <a href="data:text/html,<script>{MARKER}</script>">harbour master</a>, who has seen many winters.</p>
<p>&lt;script&gt;{MARKER}&lt;/script&gt; is what a visitor wrote on the wall of the harbour office; &lt;/span&gt;
&lt;/div&gt;&lt;img src=x onerror="{MARKER}"&gt; is what another one wrote, and it took a day to clean both of them.</p>
<p>The <img alt='"><img src=x onerror="{MARKER}">' src="{ELSEWHERE}a.png" srcset="{ELSEWHERE}b.png 2x"> picture of
the quay was taken <svg onload="{MARKER}"><script>{MARKER}</script><a href="javascript:{MARKER}"><text>there</text></a>
<use href="{ELSEWHERE}icon.svg#a"/><foreignObject><iframe src="{ELSEWHERE}f"></iframe></foreignObject></svg> on a day
when nobody had expected the sun to come out, and it shows the boats of the whole town side by side.</p>
<p style="background: url({ELSEWHERE}p.png); position: fixed; inset: 0; z-index: 99">Boats are mended on land until the
first week of April, when the crane, which is older than anybody who works with it, puts them into the water again.</p>
<form action="{ELSEWHERE}form"><input autofocus onfocus="{MARKER}" value='"><script>{MARKER}</script>'
placeholder="'><img src=x onerror='{MARKER}'>"><button formaction="javascript:{MARKER}">Send</button></form>
<iframe srcdoc="<script>parent.pwned = 1; {MARKER}</script>"></iframe><iframe src="javascript:parent.pwned=1"></iframe>
<object data="{ELSEWHERE}object"></object><embed src="{ELSEWHERE}embed"><video src="{ELSEWHERE}v" autoplay
onerror="{MARKER}"></video><audio src=x onerror="{MARKER}"></audio><details open ontoggle="{MARKER}"><summary>More
</summary>Nothing more.</details><marquee onstart="{MARKER}">News</marquee><template>
<script>{MARKER}</script></template>
<noscript><p title="</noscript><img src=x onerror='{MARKER}'>">Without scripts</p></noscript>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={MARKER}&gt;"></table></math>
<table><tr><td><a href=" java&#x0A;script:{MARKER}">Cell</a></td><td onmouseover="{MARKER}">{{{{constructor}}}}</td>
</tr></table><xmp></xmp><img src=x onerror="{MARKER}"><plaintext><script>{MARKER}</script>"""

_CARD = f"""<li class='"><script>{MARKER}</script>'>
<a href="javascript:{MARKER}">Boat no. {{n}} &lt;script&gt;{MARKER}&lt;/script&gt;</a>
<img src="{ELSEWHERE}{{n}}.png" onerror="{MARKER}" alt='"><img src=x onerror="{MARKER}">'>
<b onclick="{MARKER}">£{{n}}.50</b> <p style="background: url({ELSEWHERE}p.png)">An old boat,
&lt;img src=x onerror={MARKER}&gt; mended in winter {{n}}</p></li>"""

PAGE = (_HEAD + _BODY).replace("{{", "{").replace("}}", "}")
LIST = _HEAD.replace("{{", "{").replace("}}", "}") + f"<ul>{''.join(_CARD.format(n=n) for n in range(1, 13))}</ul>"
