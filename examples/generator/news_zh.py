"""The Chinese news site: an old template of layout tables, capitals, unquoted attributes and inline scripts."""

# ruff: noqa: E501  (a line of markup stays a line, so that it can be found in the page)

from __future__ import annotations

from datetime import datetime, timedelta

from .articles import Article, Block
from .dice import Dice
from .markup import attr, data, fill, inline, lines, link, part, root, text
from .news_zh_lists import ADVERTS, FRIENDS, HOST, MENU, NAME, OTHERS, SECTIONS, SUBMENU

TOP = "zh"
FEED = f"{TOP}/atom.xml"
NOW = datetime(2024, 5, 15, 21, 30)
INDENT = "　　"


def path(article: Article, number: int = 1) -> str:
    """Return where a page of an article lies in the site folder."""
    part_of = f"_{number}" if number > 1 else ""
    return f"{TOP}/{article.section}/{article.published:%Y-%m/%d}/c_{article.id}{part_of}.html"


def url(page: str) -> str:
    """Return a page's address on the web."""
    return HOST + page.removeprefix(TOP + "/")


def picture(article: Article) -> str:
    """Return where an article's picture lies."""
    return f"{TOP}/images/{article.id}.svg"


def charset(article: Article) -> tuple[str, str]:
    """Return the encoding a page declares and the one it is stored in."""
    return ("gb2312", "gbk") if "gbk" in article.dirt else ("utf-8", "utf-8")


def section_href(page: str, section: str) -> str:
    """Return the link to a channel: only one channel's page is part of the example."""
    return link(page, f"{TOP}/shehui/index.html") if section == "shehui" else f"{HOST}{section}/"


def other_href(title: str) -> str:
    """Return the address of an article that is not part of the example."""
    dice = Dice("other", title)
    return f"{HOST}{dice.pick(list(SECTIONS))}/2024-05/{dice.number(1, 5):02d}/c_{dice.number(1130100000, 1130144999)}.html"


def chinese_date(moment: datetime) -> str:
    """Return a moment as news sites write it."""
    return f"{moment.year}年{moment.month:02d}月{moment.day:02d}日 {moment:%H:%M}"


# --- the body -------------------------------------------------------------------------------------------


def body(article: Article, page: str, number: int = 1) -> str:
    """Write the blocks of one page of an article, with an advertisement in the middle and the dirt it is to have."""
    dice = Dice("body", article.id)
    pieces = []
    for count, block in enumerate(article.parts[number - 1], 1):
        pieces.append(body_block(block, article, page))
        if count == 3:
            pieces.append(advert(dice, "mid"))
        if count == 4 and "hidden" in article.dirt:
            pieces.append(
                f'<DIV style="display:none">{dice.token(10)} 本文版权归江岸新闻网所有，未经授权不得转载，转载请联系版权部。</DIV>'
            )
        if count == 5 and "comments-markup" in article.dirt:
            pieces.append(
                f'<!-- <p>　　编者按：此段已于{dice.number(6, 9)}时撤下，<a href="/old/{dice.token(6)}.html">旧稿</a>留存备查。</p></div> -->'
            )
    return lines(pieces)


def body_block(block: Block, article: Article, page: str) -> str:
    """Write one block of a body."""
    cells = [[inline(cell, {}) for cell in row] for row in block.rows]
    first = cells[0][0]
    if block.kind == "p":
        return paragraph(first, article)
    if block.kind == "h":
        return f"<P align=center><STRONG>{first}</STRONG></P>"
    if block.kind == "quote":
        return f'<P style="font-family:KaiTi">{INDENT}“{first}”</P>\n<P align=right>——{cells[0][1]}</P>'
    if block.kind in ("ul", "ol"):
        return "\n".join(paragraph(row[0], article) for row in cells)
    if block.kind == "table":
        return table(cells, article)
    return figure(first, article, page)


def paragraph(words: str, article: Article) -> str:
    """Write a paragraph the way the page's editor did: with br, without an end tag, in capitals or clean."""
    if "br-paragraphs" in article.dirt:
        return f"{INDENT}{words}<br /><br />"
    if "unclosed-p" in article.dirt:
        return f"<p>{INDENT}{words}"
    if "uppercase" in article.dirt:
        return f"<P>{INDENT}{words}</P>"
    return f'<p style="text-indent:2em;">{words}</p>'


def table(cells: list[list[str]], article: Article) -> str:
    """Write a table; some pages leave out the end tags of cells and rows."""
    cell_end, row_end = ("", "") if "unclosed-td" in article.dirt else ("</TD>", "</TR>")
    rows = ["<TR>" + "".join(f"<TD>{cell}{cell_end}" for cell in row) + row_end for row in cells]
    return lines(["<TABLE class=biao border=1 cellpadding=4>", *rows, "</TABLE>"])


def figure(caption: str, article: Article, page: str) -> str:
    """Write a picture with its caption."""
    source = link(page, picture(article))
    return (
        f'<DIV class=tu><IMG src="{source}" width=560 height=316 alt="{attr(article.alt)}" oldsrc="W0{Dice("img", article.id).token(16)}.jpg">'
        f"<BR><SPAN class=shuoming>{caption}</SPAN></DIV>"
    )


# --- furniture ------------------------------------------------------------------------------------------


def advert(dice: Dice, place: str) -> str:
    """Write an advertisement, with the script that would fill it."""
    firm, words = dice.pick(ADVERTS)
    name, target = (
        f"ad_{place}_{dice.token(6)}",
        f"https://ads.example.com/go?p={dice.token(10)}&t={dice.number(10**9, 2 * 10**9)}",
    )
    return (
        f'<DIV class=ggw id="{name}"><SPAN class=gg>广告</SPAN><A href="{attr(target)}" target=_blank><B>{firm}</B> {words}</A></DIV>'
        f"<SCRIPT language=javascript>adWrite('{name}','{target}','<b>{firm}</b></div>');</SCRIPT>"
    )


def head(page: str, title: str, extra: str, declared: str = "utf-8") -> str:
    """Write the head's common part."""
    dice = Dice("head", page)
    settings = {
        "pv": dice.token(24),
        "ts": dice.number(1715760000, 1715779999),
        "node": f"bj-{dice.number(1, 40)}",
        "tpl": "<li><a></a></li>",
    }
    return lines(
        [
            f'<META http-equiv=Content-Type content="text/html; charset={declared}">',
            f"<TITLE>{text(title)}--{NAME}</TITLE>",
            f'<META name=keywords content="{NAME},云泽新闻,江岸,{attr(title[:8])}">',
            extra,
            '<STYLE type="text/css">',
            part("zh.css"),
            "</STYLE>",
            "<SCRIPT language=javascript>",
            part("zh.js"),
            f"var _cfg={data(settings)};",
            "</SCRIPT>",
            f"<!--[if lte IE 6]><script>document.execCommand('BackgroundImageCache',false,true);var v='{dice.token(6)}';</script><![endif]-->",
        ]
    )


def top(page: str) -> str:
    """Write everything above the content."""
    dice = Dice("top", page)
    channels = {label: key for key, label in SECTIONS.items()}
    cells = "".join(
        f"<TD><A href={section_href(page, channels.get(label, f'c{n:02d}'))}>{label}</A>"
        for n, label in enumerate(MENU)
    )
    subs = "\n".join(
        f'<A href="{HOST}sub/{n:03d}.html" target=_blank>{label}</A>' for n, label in enumerate(SUBMENU, 101)
    )
    return lines(
        [
            f"<DIV class=topnav><DIV class=w960>2024年5月15日 星期三　农历四月初八　<SPAN class=tianqi>云泽 多云 {dice.number(17, 19)}～{dice.number(24, 27)}℃</SPAN>　"
            f"<A href='javascript:addFav()'>加入收藏</A> <A href='https://passport.example.org/login?r={dice.token(12)}'>登录</A> "
            "<A href='https://passport.example.org/reg'>注册</A> <A href='https://xinwen.example.org/wap/'>手机版</A></DIV></DIV>",
            f"<TABLE width=960 align=center border=0><TR><TD class=logo><A href={root(page, TOP)}index.html>{NAME}</A><SMALL>云泽市重点新闻网站</SMALL></TD>"
            f"<TD align=right>{advert(dice, 'top')}</TD></TR></TABLE>",
            f"<TABLE width=960 align=center border=0 class=menu cellspacing=0><TR><TD><A href={root(page, TOP)}index.html>首页</A>{cells}</TR></TABLE>",
            f"<DIV class=submenu><DIV class=w960>\n{subs}\n</DIV></DIV>",
        ]
    )


def hot_list(page: str, title: str, entries: list[tuple[str, str]], dice: Dice) -> str:
    """Write a ranking: a table whose cells are never closed."""
    clicks = sorted((dice.number(900, 98000) for _ in entries), reverse=True)
    rows = [
        f'<TR><TD class="xh{" xh1" if n < 4 else ""}">{n}<TD>&nbsp;<A href="{href}" title="{attr(label)}" target=_blank>{text(label[:17])}</A>'
        f"<TD class=dj>{count}"
        for n, ((href, label), count) in enumerate(zip(entries, clicks, strict=True), 1)
    ]
    return lines(
        [
            f'<DIV class=ph id="ph_{dice.token(5)}"><H3>{title}</H3><TABLE width="100%" cellspacing=0>',
            *rows,
            "</TABLE></DIV>",
        ]
    )


def rail(page: str, articles: list[Article]) -> str:
    """Write the right-hand column: two rankings, pictures, advertisements."""
    dice = Dice("rail", page)
    day = [(link(page, path(each)), each.title) for each in dice.sample(articles, 4)] + [
        (other_href(t), t) for t in dice.sample(OTHERS, 6)
    ]
    week = [(other_href(title), title) for title in dice.sample(OTHERS, 10)]
    pictures = "".join(
        f'<TD><A href="{link(page, path(each))}"><IMG src="{link(page, picture(each))}" width=130 height=73 alt="{attr(each.alt)}"><BR>{text(each.short)}</A>'
        for each in dice.sample(articles, 2)
    )
    return lines(
        [
            advert(dice, "r1"),
            hot_list(page, "24小时点击排行", day, dice),
            f"<DIV class=ph><H3>图片新闻</H3><TABLE class=pic><TR>{pictures}</TABLE></DIV>",
            advert(dice, "r2"),
            hot_list(page, "一周热评", week, dice),
            f"<DIV class=ph><H3>新闻热线</H3>报料电话：0000-88{dice.number(10, 99)}0000<BR>投稿邮箱：tougao@example.org<BR>值班编辑在线时间：8:00—24:00</DIV>",
        ]
    )


def foot(page: str) -> str:
    """Write links to friends, copyright, the floating advertisement and the counters."""
    dice = Dice("foot", page)
    friends = " | ".join(
        f"<A href=https://link{n:02d}.example.org/ target=_blank>{name}</A>" for n, name in enumerate(FRIENDS, 1)
    )
    return lines(
        [
            f"<DIV class='yqlj w960'><B>友情链接：</B>{friends}</DIV>",
            "<DIV class=foot><A href=https://xinwen.example.org/about/>关于我们</A> | <A href=https://xinwen.example.org/ad/>广告服务</A> | "
            "<A href=https://xinwen.example.org/law/>法律顾问</A> | <A href=https://xinwen.example.org/job/>诚聘英才</A> | "
            "<A href=https://xinwen.example.org/map/>网站地图</A><BR>江岸新闻网版权所有 未经书面授权不得复制或建立镜像<BR>"
            "互联网新闻信息服务许可证 00120240000 号 违法和不良信息举报电话：0000-12345<BR>Copyright &copy; 2006-2024 xinwen.example.org All Rights Reserved"
            f"<BR>本页由内容管理系统于 {NOW:%Y-%m-%d} {dice.number(10, 23)}:{dice.number(10, 59)}:{dice.number(10, 59)} 生成</DIV>",
            f"<DIV class=piaofu id=piaofu><A href='https://ads.example.com/pf?{dice.token(10)}'>端午龙舟赛<BR>我要报名</A><BR><SPAN onclick='closeFloat()'>关闭</SPAN></DIV>",
            f"<SCRIPT>var _hm=_hm||[];(function(){{var h='<div id=\"cnt_{dice.token(6)}\"></div>';if(h.length<9){{document.title='<'+h;}}_hm.push(['{dice.token(32)}',"
            f"{dice.number(1, 10**9)}]);}})();</SCRIPT>",
            f'<NOSCRIPT><IMG src="https://stats.example.com/s.gif?id={dice.token(16)}" width=0 height=0></NOSCRIPT>',
        ]
    )


def after(article: Article, dice: Dice) -> str:
    """Write the share bar and the disclaimer."""
    return (
        f"<DIV class=fenxiang>分享到：<A href='https://social.example.com/wb?sid={dice.token(10)}'>微博</A><A href='https://social.example.com/py?sid={dice.token(10)}'>"
        "朋友圈</A><A href='https://social.example.com/kj'>空间</A><A href='javascript:window.print()'>打印本页</A><A href='javascript:window.close()'>关闭窗口</A></DIV>\n"
        "<DIV style='font-size:12px;color:#999'>免责声明：凡本网注明来源为其他媒体的稿件，均为转载，目的在于传递更多信息，并不代表本网赞同其观点。</DIV>"
    )


def related(article: Article, page: str, articles: list[Article], dice: Dice) -> str:
    """Write the related links, list items left open."""
    own = dice.sample([each for each in articles if each is not article], 4)
    items = [
        f'<LI>·<A href="{link(page, path(each))}" target=_blank>{text(each.long)}</A> <SPAN>{each.published:%m-%d}</SPAN>'
        for each in own
    ]
    items += [
        f'<LI>·<A href="{other_href(title)}" target=_blank>{text(title)}</A> <SPAN>05-0{dice.number(1, 5)}</SPAN>'
        for title in dice.sample(OTHERS, 6)
    ]
    return lines(["<DIV class=xgxw><H3>相关新闻</H3><UL>", *items, "</UL></DIV>", advert(dice, "b1")])


def comments(article: Article, dice: Dice) -> str:
    """Write the readers' comments and the form."""
    moment, rows = article.published, []
    for name, words in article.comments:
        moment += timedelta(minutes=dice.number(5, 260))
        rows.append(
            f'<TR id="pl_{dice.number(30000000, 39999999)}"><TD><SPAN class=yh>{text(name)}</SPAN><SPAN class=sj>{moment:%Y-%m-%d %H:%M}:{dice.number(10, 59)}</SPAN>'
            f"<BR>{text(words)}<DIV class=dz>顶[{dice.number(0, 320)}] 踩[{dice.number(0, 12)}] 回复 举报</DIV></TD></TR>"
        )
    return lines(
        [
            "<A name=pl></A><DIV class=pinglun><H3>网友评论</H3>文明上网理性发言，评论仅代表网友个人观点",
            '<TABLE width="100%" cellspacing=0>',
            *rows,
            "</TABLE>",
            f'<FORM action="https://comment.example.org/post" method=post><INPUT type=hidden name=token value={dice.token(32)}>'
            '<TEXTAREA name=nr cols=60 rows=4 onkeyup="checkLen(this,200)"></TEXTAREA><SPAN id=left_num>还可以输入<b>200</b>字</SPAN><BR>'
            "<INPUT type=submit value=发表评论></FORM></DIV>",
        ]
    )


# --- whole pages ----------------------------------------------------------------------------------------


def stamps(page: str) -> dict[str, str]:
    """Return the slots every page of the site fills with accidents of its rendering."""
    dice = Dice("stamps", page)
    return {
        "token": dice.token(16),
        "rendered": f"{NOW:%Y-%m-%d} {dice.number(10, 20)}:{dice.number(10, 59)}:{dice.number(10, 59)}.{dice.number(100, 999)}",
        "server": f"{dice.number(1, 12):02d}",
    }


def pager(article: Article, page: str, number: int) -> str:
    """Write the links between the pages of an article; empty where it has one page."""
    count = len(article.parts)
    if count == 1:
        return ""
    hrefs = {n: link(page, path(article, n)) for n in range(1, count + 1)}
    numbers = "".join(f"<B>{n}</B>" if n == number else f"<A href={href}>{n}</A>" for n, href in hrefs.items())
    before = f"<A href={hrefs[number - 1]}>上一页</A>" if number > 1 else ""
    following = f"<A href={hrefs[number + 1]}>下一页</A>" if number < count else ""
    return f"<DIV class=yema>{before}{numbers}{following}</DIV>\n"


def detail(article: Article, articles: list[Article], number: int = 1) -> str:
    """Write one page of an article."""
    page = path(article, number)
    dice = Dice("detail", article.id) if number == 1 else Dice("detail", article.id, number)
    nested = "nested" in article.dirt
    description = f'<META name=description content="{attr(article.long)}">\n<META name=publishdate content="{article.published:%Y-%m-%d}">'
    return fill(
        "zh_detail.html",
        **stamps(page),
        head=head(page, f"{article.title}--{SECTIONS[article.section]}", description, charset(article)[0]),
        id=article.id,
        top=top(page),
        root=root(page, TOP),
        section_href=section_href(page, article.section),
        section_name=SECTIONS[article.section],
        title=text(article.title),
        published_words=chinese_date(article.published),
        source=article.source,
        source_id=Dice("source", article.source).number(100, 999),
        author=article.author,
        n_comments=len(article.comments),
        views=dice.number(2000, 64000),
        sign=dice.token(24),
        open_wrap="<TABLE border=0 cellpadding=0><TR><TD><TABLE border=0><TR><TD width=6>&nbsp;</TD><TD>"
        if nested
        else "",
        body=body(article, page, number),
        editor=f"<P class=bianji>[责任编辑：{article.editor}]</P>",
        close_wrap="</TD></TR></TABLE></TD></TR></TABLE>" if nested else "",
        after=pager(article, page, number) + after(article, dice),
        related=related(article, page, articles, dice),
        comments=comments(article, dice),
        rail=rail(page, articles),
        foot=foot(page),
    )


def catalogue(page: str, title: str, lists: str, articles: list[Article]) -> str:
    """Write a catalogue page around its lists."""
    feed = f'<LINK rel=alternate type="application/atom+xml" title="{NAME}" href="{link(page, FEED)}">'
    description = f'<META name=description content="{NAME}{title}">\n{feed}'
    return fill(
        "zh_catalogue.html",
        **stamps(page),
        head=head(page, title, description),
        top=top(page),
        lists=lists,
        rail=rail(page, articles),
        foot=foot(page),
    )


def list_item(article: Article, page: str, label: str) -> str:
    """Write a line of a list."""
    return f'<LI>·<A href="{link(page, path(article))}" target=_blank title="{attr(article.title)}">{text(label)}</A><SPAN>{article.published:%m-%d %H:%M}</SPAN>'


def other_item(title: str, day: int) -> str:
    """Write a line for an article that is not part of the example."""
    return f'<LI>·<A href="{other_href(title)}" target=_blank>{text(title)}</A><SPAN>05-{day:02d}</SPAN>'


def home(articles: list[Article]) -> str:
    """Write the home page: a top story, pictures, and a list a channel."""
    page, lead, dice = f"{TOP}/index.html", articles[0], Dice("zh-home")
    href = link(page, path(lead))
    parts = [
        f'<DIV class=tt><H2><A href="{href}">{text(lead.title)}</A></H2><P>{text(lead.long)} <A href="{href}">[详细]</A></P>'
        f'<A href="{href}"><IMG src="{link(page, picture(lead))}" width=620 height=349 alt="{attr(lead.alt)}"></A></DIV>'
    ]
    cells = "".join(
        f'<TD><A href="{link(page, path(each))}"><IMG src="{link(page, picture(each))}" width=190 height=107 alt="{attr(each.alt)}"></A><BR>'
        f'<A href="{link(page, path(each))}">{text(each.short)}</A></TD>'
        for each in articles[1:4]
    )
    parts.append(f"<TABLE class=pic width=100%><TR>{cells}</TR></TABLE>")
    shorts = [list_item(each, page, each.short) for each in articles]
    parts.append(lines(["<DIV class=xgxw><H3>要闻速览</H3><UL class=lb>", *shorts, "</UL></DIV>"]))
    for section, label in SECTIONS.items():
        items = [list_item(each, page, each.title) for each in articles if each.section == section]
        items += [other_item(title, dice.number(1, 5)) for title in dice.sample(OTHERS, 5)]
        parts.append(
            lines(
                [
                    f"<DIV class=xgxw><H3><A href={section_href(page, section)}>{label}</A></H3><UL class=lb>",
                    *items,
                    "</UL></DIV>",
                ]
            )
        )
    return catalogue(page, "首页", lines(parts), articles)


def channel_path(number: int) -> str:
    """Return where a page of the channel's catalogue lies."""
    return f"{TOP}/shehui/index{f'_{number}' if number > 1 else ''}.html"


def channel(articles: list[Article], listed: list[Article], number: int) -> str:
    """Write a page of one channel's catalogue: long titles first, and every article once more by its short one."""
    page, dice = channel_path(number), Dice("zh-channel") if number == 1 else Dice("zh-channel", number)
    items = [list_item(each, page, each.long if number == 1 else each.title) for each in listed] + [
        other_item(title, dice.number(1, 5)) for title in dice.sample(OTHERS, 22)
    ]
    shorts = [list_item(each, page, each.short) for each in listed]
    first, second = (link(page, channel_path(n)) for n in (1, 2))
    numbers = (
        f"<B>1</B><A href={second}>2</A><A href={second}>下一页</A>"
        if number == 1
        else f"<A href={first}>上一页</A><A href={first}>1</A><B>2</B>"
    )
    lists = lines(
        [
            "<DIV class=xgxw><H3>社会新闻</H3><UL class=lb>",
            *items,
            "</UL>",
            f"<DIV class=yema>{numbers}</DIV></DIV>",
            "<DIV class=xgxw><H3>编辑推荐</H3><UL class=lb>",
            *shorts,
            "</UL></DIV>",
        ]
    )
    return catalogue(page, "社会", lists, articles)
