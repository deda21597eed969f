import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const STAMP = 'page.stamp'
const NOT_SOURCES = new Set(['node_modules', 'dist', '.cache'])

/** Hashes everything the page is built from: its own files, the schema it imports, and the lock file. */
export async function sourceStamp(web: string): Promise<string> {
  const root = join(web, '..', '..')
  const files = [
    ...(await filesIn(web)),
    ...(await filesIn(join(root, 'packages', 'schema', 'src'))),
    join(root, 'package-lock.json'),
  ]
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    hash.update(`${relative(root, file)}\0`)
    hash.update(await readFile(file).catch(() => ''))
  }
  return hash.digest('hex')
}

export async function builtStamp(folder: string): Promise<string | undefined> {
  return readFile(join(folder, STAMP), 'utf8').catch(() => undefined)
}

export async function writeStamp(folder: string, stamp: string): Promise<void> {
  await writeFile(join(folder, STAMP), stamp)
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries
      .filter((entry) => !NOT_SOURCES.has(entry.name) && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? filesIn(path) : [path]
      }),
  )
  return found.flat()
}
