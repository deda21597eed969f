import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { makeHome } from './command.ts'
import { eventually } from './page-kit.ts'

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const ways: readonly (readonly [string, (tests: ChildProcess) => unknown])[] = [
  ['terminated', (tests) => tests.kill('SIGTERM')],
  ['disconnected from their runner', (tests) => tests.disconnect()],
]

it.each(ways)('a command ends when the tests that started it are %s', async (_, end) => {
  const home = await makeHome()
  onTestFinished(home.remove)
  const tests = fork(new URL('command-ended.child.ts', import.meta.url), [home.folder])
  const [pid] = (await once(tests, 'message')) as [number]
  expect(isThere(pid)).toBe(true)
  end(tests)
  await eventually(() => isThere(pid)).toBe(false)
})
