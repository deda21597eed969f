import type { CostCell } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { accountOf, agentOf } from '../outcomes.test-kit.ts'
import { daysOf } from './days.ts'
import { fingerprintOf, isCurrent, isOpen, withOpen } from './fingerprint.ts'

const by = (price: string, zone = 'UTC') => ({
  zone,
  markOf: (model: string) => (model === 'm' ? price : 'same'),
})
const cell = (model: string | null) => ({ model }) as CostCell

describe('account fingerprint', () => {
  const made = fingerprintOf(accountOf('s', { cells: [cell('m'), cell(null)] }), 'first', by('1'))

  it('is outdated if the session, the time zone or the price of a used model changed', () => {
    expect(isCurrent(made, 'first', by('1'))).toBe(true)
    expect(isCurrent(made, 'second', by('1'))).toBe(false)
    expect(isCurrent(made, 'first', by('1', 'Europe/Berlin'))).toBe(false)
    expect(isCurrent(made, 'first', by('2'))).toBe(false)
    const free = fingerprintOf(accountOf('s', { cells: [cell('n')] }), 'first', by('1'))
    expect(isCurrent(free, 'first', by('2'))).toBe(true)
  })

  it('is outdated if it is missing, malformed or of other rules', () => {
    for (const other of [undefined, '', 'x', '[]', 'null', '{"rules":0}'])
      expect(isCurrent(other, 'first', by('1'))).toBe(false)
  })

  it('records whether an agent is working, and is current either way', () => {
    const open = withOpen(accountOf('s', { fingerprint: made, agents: [agentOf('a', { finished: false })] }))
    expect([isOpen(made), isOpen(open.fingerprint)]).toEqual([false, true])
    expect(isCurrent(open.fingerprint, 'first', by('1'))).toBe(true)
    expect(withOpen({ ...open, agents: [agentOf('a')] }).fingerprint).toBe(made)
  })
})

it('assigns days by time zone, including a change to daylight saving time', () => {
  const days = daysOf('Europe/Berlin')
  expect(days(Date.UTC(2026, 2, 28, 22, 59, 59))).toBe('2026-03-28')
  expect(days(Date.UTC(2026, 2, 28, 23))).toBe('2026-03-29')
  expect(days(Date.UTC(2026, 2, 29, 21, 59))).toBe('2026-03-29')
  expect(days(Date.UTC(2026, 2, 29, 22))).toBe('2026-03-30')
  expect(daysOf('Asia/Kathmandu')(Date.UTC(2026, 0, 1, 18, 15))).toBe('2026-01-02')
  expect(daysOf('Asia/Kathmandu')(Date.UTC(2026, 0, 1, 18, 14, 59))).toBe('2026-01-01')
})
