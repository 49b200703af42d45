//! Ordinary least squares.

use super::TTest;

/// An ordinary least-squares line, y = intercept + slope x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ols {
    /// The slope, with its standard error and n - 2 degrees of freedom.
    pub(crate) slope: TTest,
    /// The value at x = 0.
    pub(crate) intercept: f64,
}

impl Ols {
    /// Fits a line to points. `None` for fewer than two points, or if all have the same x.
    pub(crate) fn fit(x: &[f64], y: &[f64]) -> Option<Self> {
        let n = x.len().min(y.len());
        let (x, y) = (&x[..n], &y[..n]);
        if n < 2 {
            return None;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / n as f64;
        let (mx, my) = (mean(x), mean(y));
        let sxx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
        if sxx <= 0.0 {
            return None;
        }
        let sxy: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
        let slope = sxy / sxx;
        let intercept = my - slope * mx;
        let rest: f64 = x.iter().zip(y).map(|(x, y)| (y - intercept - slope * x).powi(2)).sum();
        let df = (n - 2) as f64;
        let se = if df > 0.0 { (rest / df / sxx).sqrt() } else { 0.0 };
        Some(Self { slope: TTest { estimate: slope, se, df }, intercept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points (1, 2), (2, 3), (3, 5), (4, 4): means 2.5 and 3.5, Sxx = 5, Sxy = 2.25 + 0.25 +
    /// 0.75 + 0.75 = 4, so slope 0.8 and intercept 1.5. Residuals -0.3, -0.1, 1.1, -0.7: squares
    /// sum to 1.8, variance 0.9, standard error sqrt(0.9 / 5) = 0.42426. With 2 degrees of freedom
    /// t(0.975) = 4.30265, so the 95 % interval is 0.8 -+ 1.82546.
    #[test]
    fn trace_four_points() {
        let line = Ols::fit(&[1.0, 2.0, 3.0, 4.0], &[2.0, 3.0, 5.0, 4.0]).unwrap();
        assert!((line.slope.estimate - 0.8).abs() < 1e-12 && (line.intercept - 1.5).abs() < 1e-12);
        assert!((line.slope.se - 0.424_264).abs() < 1e-6);
        let interval = line.slope.interval(0.95);
        assert!((interval.low + 1.025_46).abs() < 1e-4 && (interval.high - 2.625_46).abs() < 1e-4);
    }

    #[test]
    fn trace_no_line() {
        assert_eq!(Ols::fit(&[1.0], &[1.0]), None);
        assert_eq!(Ols::fit(&[2.0, 2.0], &[1.0, 3.0]), None);
        // Two points determine a line, but say nothing about its error.
        let line = Ols::fit(&[0.0, 1.0], &[1.0, 3.0]).unwrap();
        assert!((line.slope.estimate - 2.0).abs() < 1e-15 && line.slope.interval(0.95).high.is_infinite());
    }
}
