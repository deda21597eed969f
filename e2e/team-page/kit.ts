import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openTeam, type Team } from '../../packages/engine/src/ledger/index.ts'
import {
  type OwnDatabase,
  ownDatabase,
} from '../../packages/engine/src/ledger/team/postgres/database.test-kit.ts'
import { type OpenPage, openPage } from '../browser.ts'
import { writeChatHome } from '../chat-command-kit.ts'
import { makeHome, type TestHome } from '../command.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { COUNTED, type GatedModel, startGated } from '../gated-model.ts'

/** A hub with the admin ada, the member bob and the viewer eve in `main`; of the space `blue` ada is a member. */
export interface TeamPage {
  readonly hub: Daemon
  readonly home: TestHome
  readonly team: Team
  readonly ids: Readonly<Record<string, string>>
  /** A window of somebody who has typed their token. */
  readonly open: (name: string, path?: string, options?: BrowserContextOptions) => Promise<Page>
  /** Another page of the hub in a window; the page knows then who looks. */
  readonly visit: (page: Page, path: string) => Promise<void>
  /** Closes all windows, which may have complained of answers with this status. */
  readonly close: (besides?: number) => Promise<void>
}

export function useTeamPage(): TeamPage {
  let database: OwnDatabase
  let home: TestHome
  let model: GatedModel
  let hub: Daemon
  let team: Team
  const ids: Record<string, string> = {}
  const opened: OpenPage[] = []

  beforeAll(async () => {
    ;[database, home, model] = await Promise.all([ownDatabase(), makeHome(), startGated()])
    model.allow(COUNTED.length)
    const made = await openTeam({ url: database.url })
    if (!made.ok) throw new Error(made.message)
    team = made.value
    await team.createSpace('blue')
    for (const [name, role] of [
      ['ada', 'admin'],
      ['bob', 'member'],
      ['eve', 'viewer'],
    ] as const) {
      const user = await team.createUser({ email: `${name}@example.org`, name })
      if (!user.ok) throw new Error(user.message)
      ids[name] = user.value.id
      await team.setRole(user.value.id, 'main', role)
    }
    await team.setRole(ids.ada ?? '', 'blue', 'member')
    await writeChatHome(home, model.url)
    hub = await startDaemon({ home, args: ['--ledger', database.url] })
  })
  afterAll(async () => {
    await hub?.stop()
    await team?.close()
    await model?.close()
    await database?.drop()
    await home?.remove()
  })

  const close = async (besides?: number) => {
    for (const one of opened.splice(0)) {
      const complaints = one.complaints.filter((said) => !besides || !said.includes(String(besides)))
      expect(complaints).toEqual([])
      await one.close()
    }
  }
  afterEach(() => close())

  const visit = async (page: Page, path: string) => {
    await page.goto(`${hub.address}${path}`)
    await page
      .getByRole('status')
      .filter({ hasText: /^Connected$/ })
      .waitFor()
    // Until the page knows who looks it offers everything, as on a computer of one's own.
    await page.getByRole('button', { name: /^Signed in as / }).waitFor()
  }

  const open = async (name: string, path = '/', options: BrowserContextOptions = {}) => {
    const made = await team.createToken({
      label: `${name}’s browser`,
      space: 'main',
      scope: 'full',
      role: 'admin',
      userId: ids[name] ?? null,
    })
    if (!made.ok) throw new Error(made.message)
    const one = await openPage(undefined, { permissions: ['clipboard-read', 'clipboard-write'], ...options })
    await one.page.context().request.post(`${hub.address}/auth/token`, {
      form: { token: made.value.token },
      headers: { origin: hub.address },
    })
    await visit(one.page, path)
    opened.push(one)
    return one.page
  }

  return {
    get hub() {
      return hub
    },
    get home() {
      return home
    },
    get team() {
      return team
    },
    ids,
    open,
    visit,
    close,
  }
}

export const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

export const row = (page: Page, of: string, text: string) =>
  part(page, of).locator('div.px-3.py-2').filter({ hasText: text })
