import type { AuditEntry } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, it, page } from '../../testing/page.tsx'
import { FakeTeam, person } from './team.test-kit.ts'

const part = page.getByRole('region', { name: 'Audit log' })
const rows = () => [...part.element().querySelectorAll('tbody tr')].map((row) => row.textContent)

const entry = (id: number): AuditEntry => ({
  id,
  ts: Date.now() - (50 - id) * 60_000,
  actor: id < 40 ? 'carol@example.org' : null,
  user_id: null,
  token_id: null,
  space: 'main',
  action: id % 2 ? 'tokens.create' : 'users.change',
  target: `thing ${id}`,
  outcome: id === 39 ? 'refused' : 'done',
  address: '203.0.113.9',
})

describe('The audit log of a team', () => {
  it('lists the newest entries first, filters by person and action and loads more', async ({
    server,
    open,
  }) => {
    const team = new FakeTeam(server, person('ada', 'admin'))
    team.audit = Array.from({ length: 42 }, (_, n) => entry(41 - n))
    await open('/settings#team')
    await eventually(() => rows().length).toBe(30)
    expect(rows()[0]).toContain('someonetokens.creatething 41done')
    await part.getByRole('textbox', { name: 'Who' }).fill('CAROL@example.org')
    await eventually(() => rows()[0]).toContain('carol@example.orgtokens.creatething 39refused')
    expect(rows()).toHaveLength(30)
    await part.getByRole('button', { name: 'Show more' }).click()
    await eventually(() => rows().length).toBe(40)
    expect(rows().at(-1)).toContain('thing 0')
    await part.getByRole('button', { name: /^What/ }).click()
    await page.getByRole('menuitemcheckbox', { name: 'tokens' }).click()
    await eventually(() => rows().length).toBe(20)
    const [asked] = server.requestsTo('GET /api/team/audit').slice(-1)
    expect(String(asked?.query)).toBe('limit=30&actor=CAROL%40example.org&action=tokens')
    await part.getByRole('textbox', { name: 'Who' }).fill('nobody')
    await expect.element(part.getByText('No matches.')).toBeVisible()
  })

  it('reports an empty log and a failed request', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await expect.element(part.getByText('No entries yet.')).toBeVisible()
    server.fail('GET /api/team/audit', 500, { detail: 'The log is locked.', next: 'Wait.' })
    await part.getByRole('textbox', { name: 'Who' }).fill('eve')
    await expect.element(part.getByRole('alert')).toMatchTextContent(/The log is locked/)
  })
})
