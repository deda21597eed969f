import { createWriteStream } from 'node:fs'
import { realpath, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileFailure } from '@panoptes/engine/home'
import { asCommandFailure } from './failure.ts'

/** Writes a file atomically, readable only by this user. It follows a link instead of replacing it. */
export async function writeWhole(
  target: string,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const real = await realpath(target).catch(() => target)
  const partial = `${real}.${process.pid}.partial`
  try {
    const file = createWriteStream(partial, { mode: 0o600, flags: 'wx' })
    await pipeline(Readable.from(bytes, { objectMode: false }), file, { signal })
    await rename(partial, real)
  } catch (error) {
    await rm(partial, { force: true })
    const system = error instanceof Error && 'syscall' in error
    throw system ? asCommandFailure(fileFailure(error, target, 'write')) : error
  }
}
