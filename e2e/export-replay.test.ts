import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPage } from './browser.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { post } from './page-kit.ts'

let home: TestHome
let daemon: Daemon
const file = () => join(home.folder, 'story.html')
beforeEach(async () => {
  home = await makeHome()
  daemon = await startDaemon({ home })
})
afterEach(async () => {
  await daemon.stop()
  await home.remove()
})

const START = Date.UTC(2026, 8, 15, 8)
const HOSTILE = '</script><script>document.title = "taken"</script>'
const tell = (session_id: string, start = START) => {
  const common = { session_id, source: 'claude-code' }
  return post(daemon, [
    { ...common, ts: start, event: 'prompt', agent_id: 'main', prompt_preview: HOSTILE },
    {
      ...common,
      ts: start + 5_000,
      event: 'agent_spawn',
      id: 'a1',
      parent_id: 'main',
      subagent_type: 'tree-surgeon',
      prompt_preview: HOSTILE,
    },
    { ...common, ts: start + 9_000, event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' },
    { ...common, ts: start + 20_000, event: 'agent_done', id: 'a1', outcome: 'functional' },
  ])
}

describe('panoptes export replay', () => {
  it('writes one page that plays a session without a network', async () => {
    await tell('s1')
    await tell('s2', START + 60_000)
    const args = ['export', 'replay', file(), '--session', 's1', '--json']
    const { code, stdout } = await runCommand(home, args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, events: 4, from: START, to: START + 20_001 })
    const { page, complaints, close } = await openPage(pathToFileURL(file()).href, { offline: true })
    await page.getByText('Table', { exact: true }).click()
    const table = page.getByRole('treegrid')
    await table.getByText('main', { exact: true }).first().waitFor()
    expect(await table.getByText('tree-surgeon').count()).toBe(0)
    await page.getByText('spawn', { exact: true }).click()
    await table.getByText('tree-surgeon').first().waitFor()
    expect(await page.title()).toContain('Panoptes')
    expect(await page.evaluate('performance.getEntriesByType("resource").length')).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  it('finds a session among very many newer ones', async () => {
    await tell('s1')
    const newer = Array.from({ length: 250 }, (_, n) => ({
      event: 'prompt',
      session_id: `newer ${n}`,
      ts: START + 60_000 + n,
    }))
    await post(daemon, newer)
    const { code, stdout } = await runCommand(home, ['export', 'replay', file(), '--session', 's1', '--json'])
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, events: 4 })
  })

  it('asks before it replaces a file, and says when there is nothing to play', async () => {
    const empty = await runCommand(home, ['export', 'replay', file()])
    expect(empty).toMatchObject({ code: 1, stdout: '' })
    expect(empty.stderr).toContain('There is nothing to replay')
    await tell('s1')
    expect((await runCommand(home, ['export', 'replay', file()])).code).toBe(0)
    expect((await runCommand(home, ['export', 'replay', file()])).stderr).toContain('--force')
    await daemon.stop()
    const alone = await runCommand(home, ['export', 'replay', file(), '--force', '--since', '2026-09-15'])
    expect(alone.code).toBe(0)
    expect((await runCommand(home, ['export', 'replay', file(), '--kind', 'claim'])).code).toBe(2)
    const { code, stdout } = await runCommand(home, ['export', '--kind', 'agent_done'])
    expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 1 })
  })
})
