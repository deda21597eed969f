import { aroundAll, inject } from 'vitest'
import { MissingPart } from './parts.ts'

/** Returns the address of the PostgreSQL server that all tests share. Call it in a test or a hook, which needs the server. */
export function sharedPostgres(): string {
  failWith(inject('missingPostgres'))
  return inject('postgres')
}

/** Returns the address of the NATS server that all tests share. Call it in a test or a hook, which needs the server. */
export function sharedNats(): string {
  failWith(inject('missingNats'))
  return inject('nats')
}

/**
 * Returns the address of the PostgreSQL server that all tests share. Call it at the top of a file or a suite: without
 * the server, its tests and hooks are skipped.
 */
export function usePostgres(): string {
  skipWith(inject('missingPostgres'))
  return inject('postgres')
}

/** Returns the address of the NATS server that all tests share. It is to be called as `usePostgres` is. */
export function useNats(): string {
  skipWith(inject('missingNats'))
  return inject('nats')
}

function failWith(reason: string | undefined): void {
  if (reason !== undefined) throw new MissingPart(reason)
}

/** Skips the tests and hooks of a suite. A hook that waited for a connection that was never opened would hang. */
function skipWith(reason: string | undefined): void {
  if (reason === undefined) return
  aroundAll(() => {
    throw new MissingPart(reason)
  })
}
