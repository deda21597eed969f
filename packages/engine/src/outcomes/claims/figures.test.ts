import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { took } from '../tool-calls/cpu-time.test-kit.ts'
import { claimedIn } from './claim-number.ts'
import { estimatedIn } from './estimate-value.ts'
import { figuresIn } from './figures.ts'

const figures = (text: string) => [...figuresIn(text)].map(({ kind, value }) => [kind, value])

describe('number in a text', () => {
  it.each([
    ['1,234 rows', [['plain', 1_234]]],
    ['1234', [['plain', 1_234]]],
    ['3.20', [['plain', 3.2]]],
    ['took 3.2 s', [['duration', 3_200]]],
    ['3.2s', [['duration', 3_200]]],
    ['3200 ms', [['duration', 3_200]]],
    ['5 minutes', [['duration', 300_000]]],
    ['a 5-minute run', [['duration', 300_000]]],
    ['2h', [['duration', 7_200_000]]],
    ['1h 30m', [['duration', 5_400_000]]],
    ['1h30m', [['duration', 5_400_000]]],
    ['real\t0m5.100s', [['duration', 5_100]]],
    [
      '2 min 20 s and 4 files',
      [
        ['duration', 140_000],
        ['plain', 4],
      ],
    ],
    [
      '{"duration_ms":3200,"n":4}',
      [
        ['duration', 3_200],
        ['plain', 4],
      ],
    ],
    ['{"durationMs": 3200}', [['duration', 3_200]]],
    ['62 %', [['percent', 62]]],
    ['62%', [['percent', 62]]],
    ['$1.20', [['money', 1_200_000]]],
    ['US$1,200.50', [['money', 1_200_500_000]]],
    ['1.20 USD', [['money', 1_200_000]]],
    ['10k tokens', [['plain', 10_000]]],
    ['1.2M', [['plain', 1_200_000]]],
    ['3.1× faster', [['plain', 3.1]]],
    [
      '10/12 tests',
      [
        ['plain', 10],
        ['plain', 12],
      ],
    ],
    [
      '3-5',
      [
        ['plain', 3],
        ['plain', 5],
      ],
    ],
    ['(42)', [['plain', 42]]],
    ['n=42.', [['plain', 42]]],
    ['12 s.', [['duration', 12_000]]],
  ])('is read in %j', (text, expected) => {
    expect(figures(text)).toEqual(expected)
  })

  it.each(['v1.2.3', '1.2.3', '2026-11-16', '10:30', 'sha256', 'x86_64', 'utf8', 'src/a7/b', 'toolu_01'])(
    'is not found in %j',
    (text) => {
      expect(figures(text)).toEqual([])
    },
  )

  it('is found in any text, in linear time', async () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789.,$%- :smhkM\n/') }),
        (text) => figures(text).length >= 0,
      ),
    )
    for (const part of ['1', '1,', '1.1 ', '1,111', '1m', '1h1m', '$ ', '1-', '.1', ' ', '1 s, '])
      expect(await took(() => count(part.repeat(1_000_000 / part.length)))).toBeLessThan(6_000)
  })
})

describe('number of a claim', () => {
  it.each([
    ['Edited 2 files. Build took 3.2 s', '3.2 s', undefined],
    ['37 tests pass', '37', 'test'],
    ['all 412 tests pass', '412', 'test'],
    ['it costs $1.20', '$1.20', undefined],
    ['Edited two files', '2', 'fil'],
    ['version 1.2.3 of 2026-11-16 has 4 faults', '4', 'fault'],
  ])('in %j is the nearest: %s', (value, text, noun) => {
    expect(claimedIn(value)).toMatchObject({ text, noun })
  })

  it('comes with the other numbers of its sentence', () => {
    expect(claimedIn('Saw 3 files. 37 tables move, 4 stay')).toMatchObject({
      text: '4',
      beside: [{ text: '37' }],
    })
    expect(claimedIn('a build is green')).toBeUndefined()
  })
})

describe('claim in another language', () => {
  it.each([
    ['Сборка заняла 3,2 с', 'duration', 3_200],
    ['Импорт займёт 5 минут', 'duration', 300_000],
    ['это займёт 2 часа', 'duration', 7_200_000],
    ['Der Import dauert 5 Minuten', 'duration', 300_000],
    ['构建用了5分钟', 'duration', 300_000],
    ['构建用了 1.5 小时左右', 'duration', 5_400_000],
    ['ビルドは 12 秒かかった', 'duration', 12_000],
    ['빌드는 12초 걸렸다', 'duration', 12_000],
    ['La importación tarda 3 minutos', 'duration', 180_000],
    ['共有3个测试失败', 'plain', 3],
    ['Нашлось 1 204 строки', 'plain', 1_204],
    ['12 списков', 'plain', 12],
    ['5 с половиной', 'plain', 5],
    ['5 heads', 'plain', 5],
  ])('%s has its number read', (value, kind, amount) => {
    expect(claimedIn(value)?.figure).toMatchObject({ kind, value: amount })
  })

  it('can be an estimate', () => {
    expect(estimatedIn('Импорт займёт 3–5 минут')).toMatchObject({ quantity: 'duration', said: 240_000 })
    expect(estimatedIn('导入需要5分钟')).toMatchObject({ quantity: 'duration', said: 300_000 })
  })
})

describe('estimate phrase', () => {
  it.each([
    ['this will take about 5 minutes', 'duration', 300_000, 'work'],
    ['takes 3–5 min', 'duration', 240_000, undefined],
    ['it should take 3 to 5 min', 'duration', 240_000, 'work'],
    ['2-3h', 'duration', 9_000_000, undefined],
    ['two more hours', 'duration', 7_200_000, 'work'],
    ['done in half an hour', 'duration', 1_800_000, undefined],
    ["I'll need an hour", 'duration', 3_600_000, 'work'],
    ['ETA 20 min', 'duration', 1_200_000, 'work'],
    ['about 40 lines change', 'count', 40, 'lines'],
    ['~40 lines', 'count', 40, undefined],
    ['touches 6 files', 'count', 6, 'files'],
    ['$1.20', 'money', 1_200_000, undefined],
    ['about 10k tokens', 'tokens', 10_000, undefined],
    ['a full run takes about 5 minutes', 'duration', 300_000, undefined],
    ['each request will take 5 s', 'duration', 5_000, undefined],
  ])('is parsed: %j', (value, quantity, said, of) => {
    expect(estimatedIn(value)).toMatchObject({ quantity, said })
    expect(estimatedIn(value)?.of).toEqual(of)
  })

  it.each([
    ['the tests will take 2 min', { run: 'tests' }],
    ['a build takes 40 s', { run: 'build' }],
  ])('of a command names it: %s', (value, of) => {
    expect(estimatedIn(value)?.of).toEqual(of)
  })

  it.each(['no idea', '20 % more', '0 lines'])('is none without an amount: %s', (value) => {
    expect(estimatedIn(value)).toBeUndefined()
  })
})

function count(text: string): number {
  let found = 0
  for (const figure of figuresIn(text)) found += figure.end > 0 ? 1 : 0
  return found
}
