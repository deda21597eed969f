import { describe, expect, it } from 'vitest'
import { openBrowser, planBrowser } from './browser.ts'

describe('opening the browser', () => {
  it('opens on macOS, and on Linux with a display', () => {
    expect(planBrowser({}, 'darwin')).toMatchObject({ opens: true, program: 'open' })
    expect(planBrowser({ DISPLAY: ':0' }, 'linux')).toMatchObject({ opens: true, program: 'xdg-open' })
    expect(planBrowser({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toMatchObject({ opens: true })
    expect(planBrowser({}, 'linux')).toMatchObject({ opens: false })
  })

  it('never opens in CI, or over SSH without a display', () => {
    expect(planBrowser({ CI: 'true', DISPLAY: ':0' }, 'linux')).toMatchObject({ opens: false })
    expect(planBrowser({ CI: '1' }, 'darwin')).toMatchObject({ opens: false })
    expect(planBrowser({ SSH_CONNECTION: '1 2 3 4' }, 'darwin')).toMatchObject({ opens: false })
    expect(planBrowser({ SSH_TTY: '/dev/pts/0', DISPLAY: ':10' }, 'linux')).toMatchObject({ opens: true })
  })

  it('returns false if the browser program is missing', async () => {
    expect(await openBrowser({ opens: true, program: 'no-such-program', detail: '' }, 'http://x')).toBe(false)
  })
})
