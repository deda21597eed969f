import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import type { Job } from '@panoptes/engine/threads'

const LOOK_EVERY_MS = 50
/** What the check reads of a file of one byte: most pages twice. */
const READS_A_BYTE = 1.8

/** A process of its own: the check is one call, which a thread could neither stop nor say anything about. */
const SCRIPT = `
const { DatabaseSync } = require('node:sqlite')
let said
try {
  const row = new DatabaseSync(process.argv[1], { readOnly: true }).prepare('PRAGMA quick_check(1)').get()
  said = String(Object.values(row)[0])
} catch (error) {
  said = error.message
}
process.stdout.write(said)
`

/** SQLite's own check of a file; answers what is wrong, or nothing. `read` goes from 0 to 1 where the system tells. */
export async function checkCopy(
  file: string,
  read: (part: number) => void,
  stopped: Job['stopped'],
): Promise<string | null> {
  const bytes = statSync(file).size
  read(0)
  const child = spawn(process.execPath, ['-e', SCRIPT, file], { stdio: ['ignore', 'pipe', 'ignore'] })
  const look = setInterval(() => {
    if (stopped()) child.kill('SIGKILL')
    else read(Math.min(bytesRead(child.pid) / (bytes * READS_A_BYTE), 1))
  }, LOOK_EVERY_MS)
  try {
    const said = await textOf(child)
    return said.trim() === 'ok' ? null : (said.trim().split('\n').at(-1) ?? '')
  } finally {
    clearInterval(look)
  }
}

function textOf(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
}

/** Linux says what a process has read; elsewhere the part stands until the check is over. */
function bytesRead(pid: number | undefined): number {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
