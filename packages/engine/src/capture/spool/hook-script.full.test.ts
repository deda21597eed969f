import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const SCRIPT = resolve(import.meta.dirname, '../../../../../hooks/panoptes-hook.sh')

it('takes at most 10 ms longer to run the hook script than to start a shell', () => {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-hook-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const input = JSON.stringify({ text: 'x'.repeat(2_000) })
  const time = (args: readonly string[]) => {
    const started = performance.now()
    spawnSync('sh', args, { input, env: { PATH: process.env.PATH ?? '' } })
    return performance.now() - started
  }
  const rounds = Array.from({ length: 60 }, () => ({
    bare: time(['-c', ':']),
    hook: time([SCRIPT, 'claude-code', home]),
  }))
  // Other work on the machine only adds time, so the minimum of many rounds is what the script itself takes.
  const bare = Math.min(...rounds.map((round) => round.bare))
  const hook = Math.min(...rounds.map((round) => round.hook))
  expect(hook - bare).toBeLessThan(10)
})
