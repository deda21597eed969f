import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { EVENTS, eventually, openAt } from './page-kit.ts'

let daemon: Daemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon?.stop())

describe('a window that a test has left', () => {
  it('is given to the next with nothing of the one before', async () => {
    const first = await openAt(daemon, EVENTS, { viewport: { width: 800, height: 600 } })
    await first.page.route('**/api/status', (route) => route.abort())
    await first.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'no-preference' })
    await first.page.evaluate(() => {
      localStorage.setItem('panoptes.theme', 'light')
      console.error('a complaint of the first')
    })
    await eventually(() => first.complaints.length).toBeGreaterThan(0)
    await first.close()

    const second = await openAt(daemon, EVENTS)
    expect(second.page).toBe(first.page)
    expect(second.complaints).toEqual([])
    const seen = await second.page.evaluate(async () => {
      const scope = globalThis as unknown as { matchMedia(query: string): { readonly matches: boolean } }
      return {
        kept: localStorage.length,
        light: scope.matchMedia('(prefers-color-scheme: light)').matches,
        still: scope.matchMedia('(prefers-reduced-motion: reduce)').matches,
        status: (await fetch('/api/status')).status,
      }
    })
    expect(seen).toEqual({ kept: 0, light: true, still: true, status: 200 })
    expect(second.page.viewportSize()).toEqual({ width: 1280, height: 720 })
    await second.close()
  })

  it('is not given to one that asks for another kind, or for a window of its own', async () => {
    const one = await openAt(daemon, EVENTS)
    await one.close()
    const touched = await openAt(daemon, EVENTS, { hasTouch: true })
    const own = await openAt(daemon, EVENTS, { own: true })
    expect(new Set([one.page, touched.page, own.page]).size).toBe(3)
    await touched.close()
    await own.close()
    expect(own.page.isClosed()).toBe(true)
  })
})
