// Draws the figure that came with the page. Letters and lines take the page's colours, in both schemes.
"use strict";
const figure = JSON.parse(document.getElementById("figure").textContent);
const place = document.getElementById("explore");
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 40rem)"); // long names would leave no room for the plot

function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  const axis = { gridcolor: read("--rule"), linecolor: read("--rule"), zerolinecolor: read("--rule") };
  return {
    paper_bgcolor: read("--paper"),
    plot_bgcolor: read("--paper"),
    font: { color: read("--ink"), family: getComputedStyle(document.body).fontFamily, size: 14 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: read("--soft"), activecolor: read("--accent") },
    hoverlabel: { bgcolor: read("--panel"), font: { color: read("--ink") } },
    xaxis: { ...figure.layout.xaxis, ...axis },
    yaxis: { ...figure.layout.yaxis, ...axis, ticklabelposition: narrow.matches ? "inside top" : "outside" },
  };
}

const draw = () => Plotly.react(place, figure.data, { ...figure.layout, ...colours() }, figure.config);
draw().then(() => place.setAttribute("data-drawn", ""));
for (const change of [dark, narrow]) change.addEventListener("change", draw);
