/* html_style.h: the style and the script of every page of the HTML report. Neither loads anything. */
#ifndef MUSTER_REPORT_HTML_STYLE_H
#define MUSTER_REPORT_HTML_STYLE_H

static const char html_style[] =
    ":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--dim:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--good:#116329;--bad:#b42318;--warn:#8a5a00;"
    "--goodbg:#dafbe1;--badbg:#ffe3e0;--link:#0550ae}"
    "@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--dim:#9198a1;--line:#3d444d;--soft:#151b23;--good:#57ab5a;--bad:#ff8a80;--warn:#d9a440;"
    "--goodbg:#12301b;--badbg:#48201d;--link:#79b8ff}}"
    "body{margin:0 auto;max-width:78rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg)}"
    "a{color:var(--link)}h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}nav{font-size:.9rem}"
    "code,pre,.src{font:13px/1.5 ui-monospace,monospace}pre{background:var(--soft);border:1px solid var(--line);padding:.6rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid var(--line)}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}th button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;cursor:pointer}"
    ".sort th button::after{content:' \\2195';color:var(--dim);font-weight:400}nav a{margin-right:.6rem}"
    "th[aria-sort=ascending] button::after{content:' \\25b2'}th[aria-sort=descending] button::after{content:' \\25bc'}"
    "input{font:inherit;padding:.3rem .5rem;border:1px solid var(--line);background:var(--bg);color:var(--fg);width:20rem;max-width:100%}"
    ".tiles{display:flex;flex-wrap:wrap;gap:.8rem}.tiles div{border:1px solid var(--line);background:var(--soft);padding:.5rem 1rem;min-width:7rem}"
    ".tiles b{display:block;font-size:1.4rem}.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}"
    ".tree{width:100%;height:auto;display:block}.tree rect{stroke:var(--bg);stroke-width:2;fill:var(--soft)}.tree text{font:11px ui-monospace,monospace;fill:var(--fg);pointer-events:none}"
    ".tree .verified rect{fill:var(--goodbg)}.tree .partial rect{fill:url(#stripe)}.tree .unreached rect{fill:var(--line)}.tree .bugs rect{stroke:var(--bad);stroke-width:3}"
    ".tree a:focus rect,.tree a:hover rect{stroke:var(--link);stroke-width:3}.chart{width:100%;max-width:46rem;height:auto;display:block}"
    "ul.key{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.85rem}ul.key span{display:inline-block;width:1rem;height:.8rem;border:1px solid var(--line);margin-right:.4rem}"
    ".two{border-collapse:collapse;width:100%;min-width:44rem;table-layout:fixed}.two th:nth-child(odd){width:3rem}.two td{border:0;padding:0 .5rem;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;vertical-align:top;font:13px/1.5 ui-monospace,monospace}.two .no{text-align:right;color:var(--dim);user-select:none}"
    ".two td.gone{background:var(--badbg)}.two td.come{background:var(--goodbg)}.two tr.note td{white-space:normal;font-family:system-ui,sans-serif;background:var(--soft);border:1px solid var(--line);padding:.3rem .6rem}"
    ".two tr.gap td{color:var(--dim);text-align:center;background:var(--soft)}dl{display:grid;grid-template-columns:minmax(5rem,max-content) 1fr;gap:.15rem 1rem;margin:.3rem 0 1rem}dt{color:var(--dim)}"
    "dd{margin:0;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace}section{border-top:1px solid var(--line);margin-top:1rem}section h3{font-size:1rem;margin:.6rem 0 .2rem}"
    ".k,.c,.s,.p{overflow-wrap:normal}"
    ".src{border-collapse:collapse;width:auto;min-width:100%}.src td{border:0;padding:0 .5rem;white-space:pre}.src .no{text-align:right;color:var(--dim);user-select:none}"
    ".src td:last-child{width:100%}.src tr:target{outline:2px solid var(--link)}.hit{color:var(--good)}.miss{color:var(--bad);font-weight:700}.never{color:var(--dim)}"
    ".src tr.part{background:var(--badbg)}.src tr.full{background:var(--goodbg)}.src tr.note td{white-space:normal;font-family:system-ui,sans-serif;padding-left:5rem}"
    ".src tr.note p{margin:.1rem 0}.src tr.note code{white-space:pre-wrap;overflow-wrap:anywhere}.src tr.note ul{margin:.2rem 0}.src a.hit{text-decoration:none}.steps code{white-space:pre-wrap}.steps tr.gap td{color:var(--dim);text-align:center}"
    "tr:target{outline:2px solid var(--link)}"
    ".sort td.w,.sort td:first-child{overflow-wrap:anywhere}.sort th button{white-space:nowrap}.sort td:first-child{min-width:11rem}.sort td.w{min-width:8rem}.sort td.n{min-width:0;overflow-wrap:normal;white-space:nowrap}"
    "@media(max-width:40rem){.sort th,.sort td,.steps th,.steps td,.src td{padding:.15rem .15rem;font-size:12px}.sort th,.steps th{font-size:11px}.sort td code,.sort td a{overflow-wrap:anywhere}#tests tr>:nth-child(3){display:none}.sort th button{white-space:normal}.sort th:not([aria-sort]) button::after{content:none}.sort td.w{min-width:5rem}.sort td:first-child{min-width:3.5rem}.sort td.n:first-child{min-width:0}.sort code,.steps code{font-size:11px}.tree text{display:none}.chart text.t{font-size:19px}.src tr.note td{padding-left:1rem}.src td{white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}.src td:nth-child(2){white-space:normal;min-width:2.4rem}.src .no{white-space:pre}dl{grid-template-columns:6rem 1fr;gap:.15rem .5rem}.two{min-width:0}.two span{overflow-wrap:anywhere}.two th:nth-child(odd){width:1.6rem}.two td{font-size:10px;padding:0 .1rem;tab-size:2}}"
    ".k{color:var(--bad)}.c{color:var(--dim)}.s{color:var(--link)}.p{color:var(--warn)}";

/* Tables of class `sort` get buttons in their heads, inputs of data-filter hide rows of the table that they name and say how many are left. */
static const char html_script[] =
    "'use strict';"
    "document.querySelectorAll('table.sort').forEach(function(t){t.querySelectorAll('thead th').forEach(function(h,i){"
    "var b=document.createElement('button');b.type='button';b.textContent=h.textContent;h.textContent='';h.appendChild(b);"
    "b.addEventListener('click',function(){var up=h.getAttribute('aria-sort')!=='ascending',body=t.tBodies[0],rows=Array.prototype.slice.call(body.rows);"
    "t.querySelectorAll('thead th').forEach(function(o){o.removeAttribute('aria-sort')});h.setAttribute('aria-sort',up?'ascending':'descending');"
    "function key(r){var c=r.cells[i];return c.dataset.v!==undefined?c.dataset.v:c.textContent}"
    "rows=rows.map(function(r){return[key(r),r]});rows.sort(function(a,b){var x=a[0],y=b[0],d=x-y;if(isNaN(d))d=x<y?-1:x>y?1:0;return up?d:-d});"
    "rows.forEach(function(r){body.appendChild(r[1])})})})});"
    "document.querySelectorAll('input[data-filter]').forEach(function(f){var s=document.createElement('span');s.setAttribute('role','status');s.className='dim';f.after(s);"
    "f.hidden=false;f.addEventListener('input',function(){var w=f.value.toLowerCase(),n=0,all=document.getElementById(f.dataset.filter).tBodies[0].rows;"
    "Array.prototype.forEach.call(all,function(r){r.hidden=r.textContent.toLowerCase().indexOf(w)<0;n+=!r.hidden});s.textContent=w?' '+n+' of '+all.length+' shown':''})});";

#endif
