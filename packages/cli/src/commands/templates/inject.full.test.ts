import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { create } from './create.ts'
import { homeWith, terminal } from './templates.test-kit.ts'

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url))

/** Creates a home with one template and runs the command in a separate process. */
async function homeWithTemplate() {
  const { context } = homeWith({ first: terminal(6) })
  await create(context, 'first', { name: 'builds' })
  const run = (...words: readonly string[]) =>
    promisify(execFile)(process.execPath, [MAIN, 'templates', ...words], {
      env: { ...process.env, ...context.env },
    })
  const countUses = (): number =>
    JSON.parse(readFileSync(join(context.paths.templates, 'builds.json'), 'utf8')).usage_count
  return { run, countUses }
}

it('counts every use when two commands inject a template at once', async () => {
  const { run, countUses } = await homeWithTemplate()
  await Promise.all([1, 2].map(() => run('inject', 'builds', '--for', 'anthropic', '--json')))
  expect(countUses()).toBe(2)
})

it('writes only JSON to stdout for a hook, and the chosen template to stderr', async () => {
  const { run } = await homeWithTemplate()
  const running = run('inject', '--auto', '--for', 'claude-hook')
  const payload = { hook_event_name: 'SessionStart', session_id: 'new', source: 'startup', cwd: '/srv/shop' }
  running.child.stdin?.end(JSON.stringify(payload))
  const { stdout, stderr } = await running
  expect(JSON.parse(stdout)).toMatchObject({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: expect.any(String) },
  })
  expect(stderr).toMatch(/^Template: builds \(terminal\)\n {2}.*in shop/)
})
