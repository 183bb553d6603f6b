function $id(s){return document.getElementById(s);}
function doZoom(size){var o=$id('ContentBody');if(!o)return;o.style.fontSize=size+'px';var p=o.getElementsByTagName('P');for(var i=0;i<p.length;i++){p[i].style.fontSize=size+'px';}}
function getCookie(n){var r=document.cookie.match(new RegExp('(^| )'+n+'=([^;]*)(;|$)'));return r!=null?unescape(r[2]):null;}
function setCookie(n,v,d){var e=new Date();e.setTime(e.getTime()+d*864e5);document.cookie=n+'='+escape(v)+';expires='+e.toGMTString()+';path=/';}
function showTab(name,cur,n){for(var i=1;i<=n;i++){var t=$id(name+i),c=$id('con_'+name+'_'+i);if(t)t.className=i==cur?'hover':'';if(c)c.style.display=i==cur?'block':'none';}}
function addFav(){try{window.external.addFavorite(location.href,document.title);}catch(e){alert('请按 Ctrl+D 收藏本页');}}
function adWrite(id,link,words){var s='<div class="ggw_in"><a href="'+link+'" target="_blank">'+words+'</a></div>';var o=$id(id);if(o&&o.innerHTML.length<4){o.innerHTML=s;}}
function checkLen(o,max){if(o.value.length>max){o.value=o.value.substring(0,max);}var c=$id('left_num');if(c)c.innerHTML='还可以输入<b>'+(max-o.value.length)+'</b>字';}
function closeFloat(){var o=$id('piaofu');if(o)o.style.display='none';setCookie('pf','1',1);}
if(top!=self&&getCookie('frm')==null){/* <div>被框架引用时不跳转</div> */setCookie('frm','1',1);}
