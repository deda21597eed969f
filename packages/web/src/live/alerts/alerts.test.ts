import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { agent, NOW } from '../agents.test-kit.ts'
import { type Cause, findCauses, isQuiet } from './causes.ts'
import { createNotifier } from './notifier.ts'

const waits = (id: string, ago = 20_000) => agent({ id, state: 'waiting', last_at: NOW - ago })

describe('notification causes', () => {
  it('include an agent that has waited for ten seconds, and the time of the next check', () => {
    const { causes, next } = findCauses([waits('long'), waits('short', 4_000), agent()], NOW)
    expect(causes.map((one) => one.agent.id)).toEqual(['long'])
    expect(next).toBe(NOW + 6_000)
  })

  it('keep their id while a waiting agent does other things', () => {
    const asks = { id: 'a', state: 'waiting', wait_since: NOW - 20_000 } as const
    const [before] = findCauses([agent({ ...asks, last_at: NOW - 20_000 })], NOW).causes
    const [after] = findCauses([agent({ ...asks, last_at: NOW })], NOW).causes
    expect(after?.id).toBe(before?.id)
    expect(after?.id).toBeDefined()
  })

  it('include stuck agents and recent failures', () => {
    const failed = agent({ id: 'f', state: 'failed', ended_at: NOW - 1_000 })
    const before = agent({ id: 'o', state: 'failed', ended_at: NOW - 600_000 })
    const { causes } = findCauses([agent({ id: 's', state: 'stuck' }), failed, before], NOW)
    expect(causes.map((one) => [one.kind, one.agent.id])).toEqual([
      ['stuck', 's'],
      ['failed', 'f'],
    ])
  })
})

describe('notifications', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const setUp = (change: { quiet?: boolean; inView?: (cause: Cause) => boolean } = {}) => {
    const shown: string[] = []
    const closed: string[] = []
    const notifier = createNotifier({
      isQuiet: () => change.quiet ?? false,
      isInView: change.inView ?? (() => false),
      show: (kind, causes) => {
        const name = `${kind} ${causes.map((one) => one.agent.id).join('+')}`
        shown.push(name)
        return { close: () => void closed.push(name) }
      },
    })
    const see = (agents: Parameters<typeof findCauses>[0]) => notifier.see(findCauses(agents, NOW).causes)
    return { shown, closed, see, notifier }
  }

  it('appear once per cause, and several within five seconds are combined', () => {
    const { shown, see } = setUp()
    see([waits('a')])
    vi.advanceTimersByTime(2_000)
    see([waits('a'), waits('b')])
    vi.advanceTimersByTime(5_000)
    see([waits('a'), waits('b')])
    vi.advanceTimersByTime(60_000)
    expect(shown).toEqual(['waiting a+b'])
  })

  it('close when their cause ends', () => {
    const { closed, see } = setUp()
    see([waits('a')])
    vi.advanceTimersByTime(5_000)
    see([agent({ id: 'a' })])
    expect(closed).toEqual(['waiting a'])
  })

  it('do not appear for a cause that ends before the delay', () => {
    const { shown, see } = setUp()
    see([waits('a')])
    see([agent({ id: 'a' })])
    vi.advanceTimersByTime(10_000)
    expect(shown).toEqual([])
  })

  it('do not appear for visible agents or during quiet hours', () => {
    const visible = setUp({ inView: () => true })
    const quiet = setUp({ quiet: true })
    for (const one of [visible, quiet]) {
      one.see([waits('a')])
      vi.advanceTimersByTime(10_000)
      expect(one.shown).toEqual([])
    }
  })

  it('appear again when an agent waits again', () => {
    const { shown, see } = setUp()
    see([waits('a', 30_000)])
    vi.advanceTimersByTime(5_000)
    see([])
    see([waits('a', 15_000)])
    vi.advanceTimersByTime(5_000)
    expect(shown).toEqual(['waiting a', 'waiting a'])
  })
})

describe('quiet hours', () => {
  const at = (hour: number) => new Date(2026, 9, 1, hour, 30)

  it('can span midnight', () => {
    expect([21, 22, 3, 7].map((hour) => isQuiet('22:00', '07:00', at(hour)))).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect([12, 13, 15].map((hour) => isQuiet('13:00', '15:00', at(hour)))).toEqual([false, true, false])
  })

  it('are empty when they begin and end at the same time', () => {
    expect(isQuiet('10:00', '10:00', at(10))).toBe(false)
  })
})
