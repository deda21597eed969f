import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const DAY_MS = 86_400_000

interface WrittenFile {
  readonly path: string
  readonly contents: Uint8Array
}

/** Names files by a hash of their content, so that parallel runs do not interfere and compiled files are reused. */
export async function writeByContent(parent: string, files: readonly WrittenFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { contents } of files) hash.update(contents)
  const folder = join(parent, hash.digest('hex').slice(0, 16))
  await mkdir(folder, { recursive: true })
  for (const { path, contents } of files) {
    const part = join(folder, `${basename(path)}.${randomUUID()}`)
    await writeFile(part, contents)
    await rename(part, join(folder, basename(path)))
  }
  await dropOld(parent, folder)
  return folder
}

async function dropOld(parent: string, current: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    // Another run may be deleting it at the same time.
    const made = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (folder !== current && Date.now() - made > DAY_MS) await rm(folder, { recursive: true, force: true })
  }
}
