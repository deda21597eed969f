import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { agent, NOW } from '../agents.test-kit.ts'
import { type Cause, causesOf, isQuiet } from './causes.ts'
import { createTeller } from './teller.ts'

const waits = (id: string, ago = 20_000) => agent({ id, state: 'waiting', last_at: NOW - ago })

describe('what someone is told of', () => {
  it('is an agent that waits for over ten seconds, and when the next one will', () => {
    const { causes, next } = causesOf([waits('long'), waits('short', 4_000), agent()], NOW)
    expect(causes.map((one) => one.agent.id)).toEqual(['long'])
    expect(next).toBe(NOW + 6_000)
  })

  it('is the same wait whatever else the agent does meanwhile', () => {
    const asks = { id: 'a', state: 'waiting', wait_since: NOW - 20_000 } as const
    const [before] = causesOf([agent({ ...asks, last_at: NOW - 20_000 })], NOW).causes
    const [after] = causesOf([agent({ ...asks, last_at: NOW })], NOW).causes
    expect(after?.id).toBe(before?.id)
    expect(after?.id).toBeDefined()
  })

  it('is who is stuck, and who failed just now', () => {
    const failed = agent({ id: 'f', state: 'failed', ended_at: NOW - 1_000 })
    const before = agent({ id: 'o', state: 'failed', ended_at: NOW - 600_000 })
    const { causes } = causesOf([agent({ id: 's', state: 'stuck' }), failed, before], NOW)
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
    const teller = createTeller({
      isQuiet: () => change.quiet ?? false,
      isInView: change.inView ?? (() => false),
      show: (kind, causes) => {
        const name = `${kind} ${causes.map((one) => one.agent.id).join('+')}`
        shown.push(name)
        return { close: () => void closed.push(name) }
      },
    })
    const see = (agents: Parameters<typeof causesOf>[0]) => teller.see(causesOf(agents, NOW).causes)
    return { shown, closed, see, teller }
  }

  it('come once for a cause, and several within five seconds as one', () => {
    const { shown, see } = setUp()
    see([waits('a')])
    vi.advanceTimersByTime(2_000)
    see([waits('a'), waits('b')])
    vi.advanceTimersByTime(5_000)
    see([waits('a'), waits('b')])
    vi.advanceTimersByTime(60_000)
    expect(shown).toEqual(['waiting a+b'])
  })

  it('go away when their cause does', () => {
    const { closed, see } = setUp()
    see([waits('a')])
    vi.advanceTimersByTime(5_000)
    see([agent({ id: 'a' })])
    expect(closed).toEqual(['waiting a'])
  })

  it('do not come for what is over before they would', () => {
    const { shown, see } = setUp()
    see([waits('a')])
    see([agent({ id: 'a' })])
    vi.advanceTimersByTime(10_000)
    expect(shown).toEqual([])
  })

  it('do not come for what is in view, nor in quiet hours', () => {
    const visible = setUp({ inView: () => true })
    const quiet = setUp({ quiet: true })
    for (const one of [visible, quiet]) {
      one.see([waits('a')])
      vi.advanceTimersByTime(10_000)
      expect(one.shown).toEqual([])
    }
  })

  it('tell again when an agent waits anew', () => {
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

  it('may go over midnight', () => {
    expect([21, 22, 3, 7].map((hour) => isQuiet('22:00', '07:00', at(hour)))).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect([12, 13, 15].map((hour) => isQuiet('13:00', '15:00', at(hour)))).toEqual([false, true, false])
  })

  it('are none where they begin when they end', () => {
    expect(isQuiet('10:00', '10:00', at(10))).toBe(false)
  })
})
