import { expect, it } from 'vitest'
import { runCommand } from '../command.ts'
import { row, type TeamPage } from './kit.ts'

export function describeComputers(kit: TeamPage): void {
  it('says of agents and sessions which computer they are from, once there are two', async () => {
    const made = await kit.team.createToken({
      label: 'sends',
      space: 'main',
      scope: 'ingest',
      role: 'member',
    })
    if (!made.ok) throw new Error(made.message)
    const send = async (path: string, lines: readonly object[]) => {
      const headers = { authorization: `Bearer ${made.value.token}` }
      const body = lines.map((line) => JSON.stringify(line)).join('\n')
      expect((await fetch(`${kit.hub.address}${path}`, { method: 'POST', headers, body })).status).toBe(200)
    }
    const ts = Date.now()
    for (const host of ['desk', 'laptop']) {
      const id = `on-${host}`
      const of = { source: 'claude-code', host, session_id: id, ts }
      await send('/events', [
        { ...of, event: 'session_start', project: `of-${host}` },
        { ...of, event: 'prompt', prompt: 'Begin.' },
      ])
      const telling = { source: 'claude-code', id, telling: `t-${host}` }
      const none = { parent_id: null, model: null, ended_at: null }
      await send(`/api/transcripts?host=${host}`, [
        { type: 'begin', ...telling, fingerprint: 'f' },
        {
          type: 'messages',
          ...telling,
          at: 0,
          messages: [
            {
              ...{ id: 'm', session_id: id, role: 'user', ts, model: null, agent_id: 'main', usage: null },
              ...{ content: [{ type: 'text', text: 'Begin.' }], state: 'active', hidden: false },
            },
          ],
        },
        {
          type: 'end',
          ...telling,
          at: 1,
          session: {
            ...{
              ...none,
              source: 'claude-code',
              id,
              lineage: 'root',
              title: `Work on ${host}`,
              project: null,
            },
            ...{ cwd: null, git_branch: null, started_at: ts, last_at: ts, fingerprint: 'f' },
          },
        },
      ])
    }
    const page = await kit.open('ada', '/?view=table')
    await page.getByRole('columnheader', { name: 'computer' }).waitFor()
    const agents = page.getByRole('treegrid')
    await agents.getByText('desk', { exact: true }).first().waitFor()
    await agents.getByText('laptop', { exact: true }).first().click()
    await page.getByText(/· on laptop ·/).waitFor()
    await page.getByRole('button', { name: /^Computer/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /desk/ }).click()
    await agents.getByText('laptop', { exact: true }).first().waitFor({ state: 'detached' })
    await page.goto(`${kit.hub.address}/sessions?host=laptop`)
    await page.getByRole('columnheader', { name: 'computer' }).waitFor()
    await page.getByRole('grid').getByText('Work on laptop').click()
    await page.getByText('Person on laptop').first().waitFor()
    expect(await page.getByText('Work on desk').count()).toBe(0)
    await page.goto(`${kit.hub.address}/settings#team`)
    await row(page, 'Tokens', 'sends')
      .getByText(/sending events · member · sends as laptop/)
      .waitFor()
    const listed = await runCommand(kit.home, ['sessions', 'list'])
    expect(listed.stdout).toMatch(/Work on laptop .* on laptop$/m)
    expect(listed.stdout).toMatch(/Work on desk .* on desk$/m)
    expect((await runCommand(kit.home, ['sessions', 'list', '--host', 'desk'])).stdout).not.toContain(
      'laptop',
    )
    expect((await runCommand(kit.home, ['sessions', 'show', 'on-desk'])).stdout).toMatch(/computer +desk/)
  })
}
