import { inject } from 'vitest'
import { MissingPart } from './parts.ts'

/** Returns the address of the NATS server that all tests share, for a test whose file can do without it. */
export function sharedNats(): string {
  const missing = inject('missingNats')
  if (missing !== undefined) throw new MissingPart(missing)
  return inject('nats')
}
