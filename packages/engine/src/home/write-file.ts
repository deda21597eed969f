import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Replaces a file atomically: a reader sees the old text or the new one. A link is followed, not replaced.
 */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const temporary = join(
    dirname(target),
    `.${basename(target)}.${process.pid}.${randomBytes(4).toString('hex')}`,
  )
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
