import { isPlainObject } from '@panoptes/schema/plain-object'
import type { OriginalFile, OriginalFrame, Originals } from './original-store.ts'

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
