import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'PANOPTES_TEST_RUN'
const GRACE_MS = 5_000

/**
 * Gives the run its own temporary folder, which also identifies its processes. At the end it names files that tests
 * left in it and processes that still run, and removes both; with `PANOPTES_STRICT_LEFTOVERS=1` the run then fails.
 */
export function watchLeftovers(): void {
  // Vitest may read its configuration again, and a test may start Vitest.
  if (process.env[VARIABLE]) return
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-run-'))
  // As root, PostgreSQL runs as another user, who must be able to reach its folder.
  chmodSync(folder, 0o711)
  process.env[VARIABLE] = folder
  process.env.TMPDIR = folder
  process.on('exit', () => {
    const processes = endProcesses(folder)
    // Chromium leaves an entry behind if it is killed instead of closed.
    const names = readdirSync(folder).filter((name) => !name.startsWith('.org.chromium.'))
    const left = [...processes, ...names.map((name) => `the temporary ${name}`)]
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    if (left.length === 0) return
    console.log(`\nThe tests left ${left.length} things behind, which were removed:\n  ${left.join('\n  ')}`)
    if (process.env.PANOPTES_STRICT_LEFTOVERS === '1') process.exitCode = 1
  })
}

/** Ends processes of the run that still exist after a moment, and describes them. Only Linux can list them. */
function endProcesses(folder: string): string[] {
  let found = runProcesses(folder)
  for (const end = performance.now() + GRACE_MS; found.length > 0 && performance.now() < end; ) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    found = runProcesses(folder)
  }
  return found.map(({ pid, command }) => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has just ended.
    }
    return `process ${pid}: ${command}`
  })
}

interface RunProcess {
  readonly pid: number
  readonly command: string
}

function runProcesses(folder: string): RunProcess[] {
  const pids = listProcesses().filter((pid) => pid !== process.pid)
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      // A zombie has no command line, and esbuild ends together with the process that started it.
      if (command === '' || command.includes('esbuild --service')) return []
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
      const isOfRun = [command, environment, readlinkSync(`/proc/${pid}/cwd`)].some((text) =>
        text.includes(folder),
      )
      return isOfRun ? [{ pid, command: command.slice(0, 300) }] : []
    } catch {
      // The process has ended, or belongs to another user.
      return []
    }
  })
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
