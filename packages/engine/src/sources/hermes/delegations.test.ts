import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { abandonedIn } from './delegations.ts'

const row = (pid: number | null, startedAt: number | null = null) => ['d', 's', pid, startedAt] as const
const isAbandoned = (...of: Parameters<typeof row>) => abandonedIn([[...row(...of)]]).length === 1

it('reports delegates as abandoned only when their process is gone', () => {
  expect(isAbandoned(spawnSync('true').pid)).toBe(true)
  expect(isAbandoned(process.pid)).toBe(false)
  expect(isAbandoned(null)).toBe(false)
})

describe('on Linux', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'Only Linux has /proc.'))

  it('recognises another process with the same pid', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const startedAt = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
    expect(isAbandoned(process.pid, startedAt)).toBe(false)
    expect(isAbandoned(process.pid, startedAt - 1)).toBe(true)
  })

  it('recognises a process that ended and was not collected', async () => {
    // The shell starts a process, replaces itself with a program that never collects it, and prints its pid.
    const child = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'])
    try {
      const pid = await new Promise<number>((found) =>
        child.stdout.once('data', (output) => found(Number(output))),
      )
      await expect.poll(() => isAbandoned(pid)).toBe(true)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
