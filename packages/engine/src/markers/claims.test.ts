import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readClaims } from './claims.ts'

const claims = (text: string) =>
  readClaims(text).map(({ value, evidence_tier, pointer }) => [value, evidence_tier, pointer])

/** Returns the CPU milliseconds of this thread, so that other work on the computer does not count. */
const worked = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

describe('claims', () => {
  it('have a phrase and a marker of one of three tiers, any number per line', () => {
    const text =
      'All 14 tests pass [REAL: npm test], the last run took 12 s [FROM-JOURNAL: toolstats row 3]\nand the rest needs 5 min [ESTIMATE-HTC: like before].'
    expect(claims(text)).toEqual([
      ['All 14 tests pass', 'REAL', 'npm test'],
      [', the last run took 12 s', 'FROM-JOURNAL', 'toolstats row 3'],
      ['and the rest needs 5 min', 'ESTIMATE-HTC', 'like before'],
    ])
    expect(readClaims(text)[0]?.at).toBe('All 14 tests pass '.length)
  })

  it('keep the last 60 characters before the marker without splitting a character', () => {
    expect(claims(`${'😀'.repeat(100)}[REAL: a]`)).toEqual([['😀'.repeat(60), 'REAL', 'a']])
    expect(claims(`${'x'.repeat(100)} [REAL: a]`)).toEqual([['x'.repeat(59), 'REAL', 'a']])
  })

  it('end their pointer at the balancing bracket, whatever is in it', () => {
    expect(claims('5 ms [REAL: a[0][1] | {"b": [2]} ] and so on]')).toEqual([
      ['5 ms', 'REAL', 'a[0][1] | {"b": [2]}'],
    ])
    expect(claims('a | b | 7 % [REAL: see [ESTIMATE-HTC: no claim of its own]] 8 [REAL: c]')).toEqual([
      ['a | b | 7 %', 'REAL', 'see [ESTIMATE-HTC: no claim of its own]'],
      ['8', 'REAL', 'c'],
    ])
  })

  it('without a balancing bracket end at the last one before the next marker or line end', () => {
    expect(claims('5 ms [REAL: list[0 of b] there\n6 ms [REAL: c]')).toEqual([
      ['5 ms', 'REAL', 'list[0 of b'],
      ['6 ms', 'REAL', 'c'],
    ])
    expect(claims('5 ms [REAL: list[0 of b] then 6 ms [REAL: c]')).toEqual([
      ['5 ms', 'REAL', 'list[0 of b'],
      ['then 6 ms', 'REAL', 'c'],
    ])
    expect(claims('5 ms [REAL: never closed\n]')).toEqual([])
    expect(claims('5 ms [REAL: never closed, 6 ms [REAL: c]')).toEqual([['never closed, 6 ms', 'REAL', 'c']])
  })

  it.each([
    '[REAL: a]',
    '- [REAL: a]',
    '| **[REAL: a]** |',
    'use `[REAL:]` for what was measured',
    'put `[REAL: …]` or [FROM-JOURNAL: ...] behind each number',
    '5 ms [real: a]',
    '5 ms [REAL a]',
    '5 ms [GUESS: a]',
    '',
  ])('are not found in %j', (text) => {
    expect(claims(text)).toEqual([])
  })

  it('count in code blocks, after any line break, and once for a phrase with two markers', () => {
    expect(claims('```\r\n5 ms [REAL: a]\r\n```')).toEqual([['5 ms', 'REAL', 'a']])
    expect(claims('x\r5 ms [REAL: a] [FROM-JOURNAL: b]')).toEqual([['5 ms', 'REAL', 'a']])
  })

  it('parse in time linear in the text', () => {
    for (const hostile of [
      '[REAL:'.repeat(1_700_000),
      `a ${'[REAL: ['.repeat(1_000_000)}${']'.repeat(1_000_000)}`,
      `${'x'.repeat(10_000_000)}[REAL: a]`,
      'a [REAL: b]'.repeat(900_000),
      '\n[REAL:'.repeat(1_000_000),
      `${'\n[REAL:'.repeat(1_000_000)}]`,
      `a [REAL: ${'[x'.repeat(3_000_000)}]`,
    ]) {
      const started = worked()
      expect(readClaims(hostile).length).toBeLessThanOrEqual(10_000)
      expect(worked() - started).toBeLessThan(3_000)
    }
  })

  const tier = fc.constantFrom('REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC')
  const plain = fc
    .string({ unit: 'grapheme', maxLength: 80 })
    .map((text) => text.replace(/[[\]\n\r]/g, '|').trim())
  const balanced = fc.tuple(plain, plain, plain).map(([a, b, c]) => `x${a}[${b}[]]${c}]`.slice(0, -1).trim())

  it('survive formatting and parsing unchanged', () => {
    const claim = fc.record({ phrase: plain.map((text) => `n${text}`), tier, pointer: balanced })
    fc.assert(
      fc.property(
        fc.array(claim, { maxLength: 6 }),
        fc.constantFrom(' ', '\n', ' and\n'),
        (claims, between) => {
          const text = claims
            .map(({ phrase, tier, pointer }) => `${phrase} [${tier}: ${pointer}]`)
            .join(between)
          const read = readClaims(text)
          expect(read.map(({ pointer }) => pointer)).toEqual(claims.map(({ pointer }) => pointer))
          expect(read.map(({ evidence_tier }) => evidence_tier)).toEqual(claims.map(({ tier }) => tier))
          read.forEach(({ value, at }, index) => {
            const whole = [...` ${claims[index]?.phrase ?? ''} `].slice(-60).join('').trim()
            expect(value).toBe(whole)
            expect(text.startsWith('[', at)).toBe(true)
          })
        },
      ),
    )
  })

  it('are well-formed and ordered in any text', () => {
    const piece = fc.constantFrom('[', ']', '[REAL:', '[ESTIMATE-HTC: ', 'a', '😀', '|', '\n', '\r', ' ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const read = readClaims(pieces.join(''))
        for (const { value, pointer } of read) {
          expect(value.isWellFormed() && pointer.isWellFormed()).toBe(true)
          expect([...value].length).toBeLessThanOrEqual(60)
          expect(`${value}${pointer}`).not.toMatch(/[\n\r]/)
        }
        expect(read.map(({ at }) => at)).toEqual([...read.map(({ at }) => at)].sort((a, b) => a - b))
      }),
    )
  })
})
