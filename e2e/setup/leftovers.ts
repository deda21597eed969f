import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'PANOPTES_TEST_RUN'
const GRACE_MS = 5_000

/**
 * Gives the run a temporary folder of its own, which its processes are also known by. At the end it names what tests
 * left in it and which of their processes still run, and removes both; with `PANOPTES_STRICT_LEFTOVERS=1` the run then fails.
 */
export function watchLeftovers(): void {
  // Vitest may read its configuration again, and a test may start Vitest.
  if (process.env[VARIABLE]) return
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-run-'))
  // PostgreSQL runs as another user where the tests run as root, and needs to get to its own folder.
  chmodSync(folder, 0o711)
  process.env[VARIABLE] = folder
  process.env.TMPDIR = folder
  process.on('exit', () => {
    const processes = endProcesses(folder)
    // Chromium leaves an entry of its own where it is killed instead of closed.
    const names = readdirSync(folder).filter((name) => !name.startsWith('.org.chromium.'))
    const left = [...processes, ...names.map((name) => `the temporary ${name}`)]
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    if (left.length === 0) return
    console.log(`\nThe tests left ${left.length} things behind, which were removed:\n  ${left.join('\n  ')}`)
    if (process.env.PANOPTES_STRICT_LEFTOVERS === '1') process.exitCode = 1
  })
}

/** Ends the processes of the run that are still there after a moment, and describes them. Only Linux can list them. */
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
      // It has just ended.
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
      // It has ended, or belongs to another user.
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
