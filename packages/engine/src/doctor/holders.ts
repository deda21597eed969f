import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { basename } from 'node:path'

/** A process by pid and name. Arguments are left out because they may contain secrets. */
export interface Holder {
  readonly pid: number
  readonly name: string
}

/**
 * Finds the process that listens on a port. Returns undefined when there is none or this user may not know.
 */
export async function portHolder(port: number): Promise<Holder | undefined> {
  const inodes = await listeningInodes(port)
  return (
    (inodes.size > 0 ? await findOwner(inodes) : undefined) ?? lsof(['-nP', `-iTCP:${port}`, '-sTCP:LISTEN'])
  )
}

/** Finds the process that holds the lock on a file. */
export async function lockHolder(file: string): Promise<Holder | undefined> {
  const table = await readFile('/proc/locks', 'utf8').catch(() => undefined)
  if (table === undefined) return lsof([file])
  const { ino } = await stat(file)
  for (const line of table.split('\n')) {
    const fields = line.trim().split(/ +/)
    const place = fields.find((field) => /^[0-9a-f]+:[0-9a-f]+:\d+$/.test(field))
    const pid = Number(fields[fields.indexOf(place ?? '') - 1])
    if (place?.split(':')[2] === String(ino) && pid > 0) return { pid, name: await processName(pid) }
  }
  return undefined
}

async function listeningInodes(port: number): Promise<ReadonlySet<string>> {
  const LISTEN = '0A'
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  const rows = tables.flatMap((table) => table.split('\n').slice(1)).map((line) => line.trim().split(/ +/))
  return new Set(
    rows.flatMap((row) => (row[1]?.endsWith(`:${hex}`) && row[3] === LISTEN && row[9] ? [row[9]] : [])),
  )
}

async function findOwner(inodes: ReadonlySet<string>): Promise<Holder | undefined> {
  const wanted = new Set([...inodes].map((inode) => `socket:[${inode}]`))
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue
    for (const fd of await readdir(`/proc/${entry}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${entry}/fd/${fd}`).catch(() => '')
      if (wanted.has(target)) return { pid: Number(entry), name: await processName(Number(entry)) }
    }
  }
  return undefined
}

/** Returns the program name, and for an interpreter the script it runs: `node panoptes.js`. */
async function processName(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [program = '', script = ''] = line.split('\0')
  const name = basename(program) || `process ${pid}`
  return /^(node|python|ruby|perl|bun|deno)/.test(name) && /\.\w+$/.test(script)
    ? `${name} ${basename(script)}`
    : name
}

function lsof(args: readonly string[]): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    execFile('lsof', ['-F', 'pc', ...args], { timeout: 5_000 }, (_error, stdout) => {
      const pid = Number(/^p(\d+)$/m.exec(stdout)?.[1])
      const name = /^c(.+)$/m.exec(stdout)?.[1]
      resolve(pid > 0 && name ? { pid, name } : undefined)
    })
  })
}
