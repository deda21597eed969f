import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPage } from './browser.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { post } from './page-kit.ts'

let home: TestHome
let daemon: Daemon
beforeAll(async () => {
  home = await makeHome()
  daemon = await startDaemon({ home })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
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
  it('writes one page that plays a session offline, and overwrites a file only on request', async () => {
    const file = join(home.folder, 'story.html')
    const exported = async (...args: readonly string[]) =>
      runCommand(home, ['export', 'replay', file, ...args])
    const empty = await exported()
    expect(empty).toMatchObject({ code: 1, stdout: '' })
    expect(empty.stderr).toContain('There is nothing to replay')

    await tell('s1')
    await tell('s2', START + 60_000)
    const newer = (_: unknown, n: number) => ({
      event: 'prompt',
      session_id: `newer ${n}`,
      ts: START + 120_000 + n,
    })
    await post(daemon, Array.from({ length: 250 }, newer))
    const { code, stdout } = await exported('--session', 's1', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, events: 4, from: START, to: START + 20_001 })

    const { page, complaints, close } = await openPage(pathToFileURL(file).href, { offline: true })
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

    expect((await exported()).stderr).toContain('--force')
    expect((await exported('--kind', 'claim')).code).toBe(2)
    await daemon.stop()
    expect((await exported('--force', '--since', '2026-09-15')).code).toBe(0)
    const lines = await runCommand(home, ['export', '--kind', 'agent_done'])
    expect({ code: lines.code, lines: lines.stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 2 })
  })
})
