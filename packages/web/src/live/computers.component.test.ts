import { describe, expect } from 'vitest'
import { FakeTeam, person } from '../settings/team/team.test-kit.ts'
import { eventually, it, page } from '../testing/page.tsx'
import { main, session } from './agents.test-kit.ts'
import { LiveServer, panel, table, WIDE } from './live-page.test-kit.ts'

describe('Agents of several computers', () => {
  it('show the name of their computer and can be filtered by it', async ({ server, open }) => {
    const live = new LiveServer(server)
    new FakeTeam(server, person('ada', 'admin'))
    const now = Date.now()
    live.sessions = ['desk', 'laptop'].map((host) =>
      session({
        ...{ session_id: `on-${host}`, project: `of-${host}`, title: `Work on ${host}`, host },
        ...{ started_at: now - 60_000, last_at: now },
      }),
    )
    live.add(
      ...live.sessions.map(({ session_id }) => main({ session_id, started_at: now - 60_000, last_at: now })),
    )
    await open('/?view=table', WIDE)
    await expect.element(page.getByRole('columnheader', { name: 'computer' })).toBeVisible()
    await expect.element(table.getByText('desk').first()).toBeVisible()
    await table.getByText('laptop').first().click()
    await expect.element(panel.getByText(/· on laptop ·/)).toBeVisible()
    await page.getByRole('button', { name: /^Computer/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /desk/ }).click()
    await expect.element(table.getByText('laptop')).not.toBeInTheDocument()
    await eventually(() => new URLSearchParams(location.search).get('host')).toBe('desk')
  })

  it('show no computer when there is only one', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?view=table', WIDE)
    await expect.element(table).toBeVisible()
    await expect.element(page.getByRole('columnheader', { name: 'computer' })).not.toBeInTheDocument()
  })
})
