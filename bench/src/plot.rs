//! Plots as SVG files beside the results: dots with names, or lines.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::Failure;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
/// Room for axes and titles.
const LEFT: f64 = 70.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 54.0;
const RIGHT: f64 = 24.0;
/// A letter of a name is about so wide, and a name so high.
const LETTER: f64 = 7.5;
const ROW: f64 = 14.0;
/// Marks on an axis, about.
const MARKS: f64 = 6.0;

const COLOURS: [&str; 10] = [
    "#777777", "#d98d00", "#0a7d55", "#3566c8", "#a13ea1", "#c23b3b", "#5b8c00", "#008c9e", "#8a5a2b",
    "#444444",
];

/// A plot. What is outside its highest value is cut off.
#[derive(Default)]
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    pub(crate) across: &'static str,
    pub(crate) up: &'static str,
    pub(crate) dots: Vec<Dot>,
    pub(crate) lines: Vec<Line>,
    pub(crate) highest: Option<f64>,
    /// Each mark of the axis across is ten times the one before.
    pub(crate) by_tens: bool,
}

/// A dot with a name beside it.
pub(crate) struct Dot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) name: String,
}

/// A line, named above the plot.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// From where to where an axis goes, and how far its marks stand apart.
#[derive(Clone, Copy)]
struct Axis {
    from: f64,
    to: f64,
    step: f64,
}

impl Plot {
    /// Writes it into `bench/`.
    pub(crate) fn write(&self, file: &str) -> Result<(), Failure> {
        Ok(fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), self.svg())?)
    }

    fn svg(&self) -> String {
        let lines = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let points: Vec<(f64, f64)> = self.dots.iter().map(|dot| (dot.x, dot.y)).chain(lines()).collect();
        let xs = Axis::over(points.iter().map(|(x, _)| self.place(*x)), self.by_tens.then_some(1.0));
        let mut ys = Axis::over(points.iter().map(|(_, y)| *y), None);
        if let Some(highest) = self.highest {
            ys = Axis::over([0.0, highest.min(ys.to)].into_iter(), None);
        }
        let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * xs.share(self.place(value));
        let y = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * ys.share(value);
        let mut out = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' font-size='13'>\
             <rect width='{WIDTH}' height='{HEIGHT}' fill='#ffffff'/><clipPath id='c'><rect x='{LEFT}' y='{TOP}' width='{}' height='{}'/></clipPath>\
             <text x='{LEFT}' y='20' font-size='15' font-weight='bold' fill='#222'>{}</text>",
            WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM,
            self.title
        );
        self.axes(&mut out, xs, ys, &y);
        for (nth, line) in self.lines.iter().enumerate() {
            let points: Vec<String> =
                line.points.iter().map(|(px, py)| format!("{:.1},{:.1}", x(*px), y(*py))).collect();
            let _ = write!(
                out,
                "<polyline clip-path='url(#c)' points='{}' fill='none' stroke='{}' stroke-width='2'/>\
                 <text x='{}' y='38' fill='{}'>{}</text>",
                points.join(" "),
                colour(nth),
                LEFT + 210.0 * nth as f64,
                colour(nth),
                line.name
            );
        }
        let mut taken: Vec<(f64, f64)> = self.dots.iter().map(|dot| (x(dot.x), y(dot.y))).collect();
        for (nth, dot) in self.dots.iter().enumerate() {
            let is_far = xs.share(self.place(dot.x)) > 0.75;
            let (anchor, beside) = if is_far { ("end", -10.0) } else { ("start", 10.0) };
            let width = LETTER * dot.name.chars().count() as f64;
            let left = x(dot.x) + if is_far { -10.0 - width } else { 10.0 };
            // A name that would stand on another one, or on a dot, moves up or down.
            let is_free = |shift: &f64| {
                let crosses = |(tx, ty): &(f64, f64)| {
                    (left - 6.0..left + width).contains(tx) && (y(dot.y) + shift - ty).abs() < ROW
                };
                !taken.iter().enumerate().any(|(other, place)| other != nth && crosses(place))
            };
            let shift = [0.0, -ROW, ROW, -2.0 * ROW, 2.0 * ROW].into_iter().find(is_free).unwrap_or(0.0);
            let letters =
                (0..dot.name.chars().count()).map(|at| (left + LETTER * at as f64, y(dot.y) + shift));
            taken.extend(letters);
            let _ = write!(
                out,
                "<circle cx='{:.1}' cy='{:.1}' r='6' fill='{}'/><text x='{:.1}' y='{:.1}' text-anchor='{anchor}' fill='#222'>{}</text>",
                x(dot.x),
                y(dot.y),
                colour(nth),
                x(dot.x) + beside,
                y(dot.y) + 4.5 + shift,
                dot.name
            );
        }
        out + "</svg>\n"
    }

    fn place(&self, x: f64) -> f64 {
        if self.by_tens { x.log10() } else { x }
    }

    fn axes(&self, out: &mut String, xs: Axis, ys: Axis, y: &dyn Fn(f64) -> f64) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for mark in ys.marks() {
            let at = y(mark);
            let _ = write!(
                out,
                "<line x1='{LEFT}' x2='{right}' y1='{at:.1}' y2='{at:.1}' stroke='#ddd'/>\
                 <text x='{}' y='{:.1}' text-anchor='end' fill='#555'>{}</text>",
                LEFT - 8.0,
                at + 4.5,
                label(mark)
            );
        }
        for mark in xs.marks() {
            let at = LEFT + (WIDTH - LEFT - RIGHT) * xs.share(mark);
            let shown = if self.by_tens { 10f64.powf(mark) } else { mark };
            let _ = write!(
                out,
                "<line x1='{at:.1}' x2='{at:.1}' y1='{TOP}' y2='{bottom}' stroke='#eee'/>\
                 <text x='{at:.1}' y='{}' text-anchor='middle' fill='#555'>{}</text>",
                bottom + 18.0,
                label(shown)
            );
        }
        let _ = write!(
            out,
            "<text x='{right}' y='{}' text-anchor='end' fill='#222'>{} →</text>\
             <text transform='translate(16 {TOP}) rotate(-90)' text-anchor='end' fill='#222'>{} →</text>",
            HEIGHT - 12.0,
            self.across,
            self.up
        );
    }
}

impl Axis {
    /// Over all values, from a round number to a round number.
    fn over(values: impl Iterator<Item = f64>, step: Option<f64>) -> Axis {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high.max(low + 1e-9)) };
        let rough = (high - low) / MARKS;
        let ten = 10f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * ten).find(|step| *step >= rough);
        let step = step.or(round).unwrap_or(ten);
        Axis { from: (low / step).floor() * step, to: (high / step).ceil() * step, step }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from).max(1e-9)
    }

    fn marks(self) -> impl Iterator<Item = f64> {
        let count = ((self.to - self.from) / self.step).round() as usize;
        (0..=count).map(move |nth| self.from + self.step * nth as f64)
    }
}

fn label(value: f64) -> String {
    let text = if value.abs() >= 10.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

fn colour(nth: usize) -> &'static str {
    COLOURS[nth % COLOURS.len()]
}
