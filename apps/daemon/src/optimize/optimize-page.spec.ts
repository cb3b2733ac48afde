import { stabilityPlot } from './optimize-page';

describe('the chart of a parameter', () => {
  it.each([[[1, 2, 3]], [[25, 30, 35, 40]], [[20, 40]]])('has each value of %j once, under its point', (values) => {
    const points = values.map((value) => ({ value, sets: 1, mean: value, best: value + 1 }));
    const html = stabilityPlot(points);
    const labels = [...html.matchAll(/<span class="time[^"]*" style="left:([\d.]+)%">([^<]*)</g)];
    const [, drawn = ''] = /class="mean" points="([^"]+)"/.exec(html) ?? [];
    expect(labels.map(([, left, text]) => [Number(left), text])).toEqual(
      drawn
        .split(' ')
        .map((point, index) => [Number((Number(point.split(',')[0]) / 10).toFixed(2)), String(values[index])]),
    );
  });

  it('has labels of some values only, where there are many', () => {
    const points = Array.from({ length: 100 }, (_, value) => ({ value, sets: 1, mean: value, best: value }));
    const labels = [...stabilityPlot(points).matchAll(/class="time[" ]/g)];
    expect(labels.length).toBeLessThanOrEqual(20);
  });
});
