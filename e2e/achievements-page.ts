import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { addBusySession, counted, homeWithHermes } from './achievements-home.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { usePages } from './page-kit.ts'

/** The session that does most. */
export const BUSY = 'ea691ccd-8a96-4a2d-838e-68211d445501'

/** What the page asks for achievements. */
export const ASKED = /\/api\/achievements\?/
export const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

/** A daemon that has counted the sessions of a home, and pages of it, for the tests of one file. */
export function useAchievements() {
  const pages = usePages()
  let home: TestHome
  let daemon: Daemon
  beforeAll(async () => {
    home = await homeWithHermes()
    await addBusySession(home, BUSY, 250)
    daemon = await startDaemon({ home })
    await counted(daemon)
  })
  afterAll(async () => {
    await daemon?.stop()
    await home?.remove()
  })
  return {
    get home() {
      return home
    },
    get daemon() {
      return daemon
    },
    closeUnheard: pages.closeUnheard,
    open: (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
      pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options }),
  }
}
