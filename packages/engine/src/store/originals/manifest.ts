import type { SessionRef } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'

/** Consecutive bytes of a file, compressed on their own: their length, the length of the frame, and a hash. */
export type OriginalFrame = readonly [bytes: number, stored: number, hash: string]

export interface OriginalFile {
  /** Below the folder of the agent, with slashes. */
  readonly path: string
  readonly mode: number
  /** The time of its last change in milliseconds, when it was read. */
  readonly modified: number
  /** The file beside the manifest that has the frames, one after another. */
  readonly data: string
  readonly frames: readonly OriginalFrame[]
}

/** What is kept of a session: its files in one version. The first one is its transcript. */
export interface Originals extends SessionRef {
  /** The fingerprint of the session in its source; empty if some of it was not read yet. */
  readonly fingerprint: string
  readonly files: readonly OriginalFile[]
}

/** Raise this when the manifest or the frames change. */
export const MANIFEST_VERSION = 1

/** Returns undefined for text that is not a manifest of this version. */
export function parseManifest(text: string): Originals | undefined {
  const document = parseJson(text)
  if (!isPlainObject(document) || document.v !== MANIFEST_VERSION) return undefined
  const { source, id, fingerprint, files } = document
  if (typeof source !== 'string' || typeof id !== 'string' || typeof fingerprint !== 'string')
    return undefined
  if (!Array.isArray(files) || files.length === 0 || !files.every(isFile)) return undefined
  return { source, id, fingerprint, files }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isFile = (value: unknown): value is OriginalFile =>
  isPlainObject(value) &&
  typeof value.path === 'string' &&
  isBelow(value.path) &&
  isCount(value.mode) &&
  typeof value.modified === 'number' &&
  typeof value.data === 'string' &&
  /^\d+\.zst$/.test(value.data) &&
  Array.isArray(value.frames) &&
  value.frames.every(isFrame)

const isFrame = (value: unknown): value is OriginalFrame =>
  Array.isArray(value) && isCount(value[0]) && isCount(value[1]) && typeof value[2] === 'string'

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** A restored file must not leave the folder of its agent. */
const isBelow = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
