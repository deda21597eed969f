import { expect, it } from 'vitest'
import { describe as inWords } from './rebuild.ts'

it('describes which rows are wrong, how, and what to run', () => {
  const found = { events: 12_000, rows: 340, differences: 5, applied: false }
  const wrong = [
    { projection: 'agents', how: 'missing', rows: 3, example: 'claude-code s1 a1' },
    { projection: 'counters', how: 'changed', rows: 1, example: 'all' },
    { projection: 'sessions', how: 'unexplained', rows: 1, example: 'hermes s9' },
  ] as const
  const said = inWords({ ...found, wrong: [...wrong] }).join('\n')
  expect(said).toContain('12,000 events produce 340 rows; 5 stored rows are wrong')
  expect(said).toMatch(/Agents on Live +3 rows missing, for example claude-code s1 a1/)
  expect(said).toMatch(/Totals +1 row that differs from the events$/m)
  expect(said).toMatch(/Sessions on Live +1 row without a matching event, for example hermes s9/)
  expect(said).toMatch(/panoptes rebuild$/)
  expect(inWords({ ...found, differences: 0 })).toEqual(['12,000 events produce 340 rows; nothing changed'])
})
