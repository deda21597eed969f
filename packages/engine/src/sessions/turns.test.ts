import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('exclusive work', () => {
  it('interrupts running work and delays new work', async () => {
    const turns = createTurns()
    const order: string[] = []
    const reading = turns.beside(async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      order.push('stopped')
      return 'read'
    })
    await Promise.resolve()
    const alone = turns.alone(async () => {
      order.push('alone')
      return 'forgotten'
    })
    const later = turns.beside(async (stop) => {
      order.push(`later ${stop.signal.aborted}`)
    })
    expect(await Promise.all([reading, alone, later])).toEqual(['read', 'forgotten', undefined])
    expect(order).toEqual(['stopped', 'alone', 'later false'])
  })

  it('lets other work continue after it failed', async () => {
    const turns = createTurns()
    await expect(turns.alone(() => Promise.reject(new Error('full')))).rejects.toThrow('full')
    expect(await turns.beside(async () => 'read')).toBe('read')
    expect(await turns.alone(async () => 'again')).toBe('again')
  })
})
