import { randomInt } from 'node:crypto'

const LIFE_MS = 600_000
const MOST = 32
/** Letters and digits that people do not confuse with each other. */
const SIGNS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 6
/** Wrong codes that a client with the token may try within a minute. */
const MOST_WRONG = 5
const MINUTE_MS = 60_000

export interface ConfirmationCode {
  readonly code: string
  readonly expiresAt: number
}

export type ConfirmationResult = { readonly what: string } | 'unknown' | 'limited'

/**
 * Requests that a browser makes and a person confirms in the terminal, by typing the code that the browser shows.
 */
export interface Confirmations {
  /** Returns the same code when the same browser repeats its request, and undefined when too many requests wait. */
  readonly ask: (key: string, what: string) => ConfirmationCode | undefined
  readonly confirm: (code: string) => ConfirmationResult
  /** Returns true once after the request was confirmed. */
  readonly take: (key: string) => boolean
  /** Withdraws every request whose key starts with the prefix, confirmed or not. */
  readonly withdraw: (prefix: string) => void
}

interface Pending extends ConfirmationCode {
  readonly what: string
  isConfirmed: boolean
}

export function createConfirmations(now: () => number = Date.now): Confirmations {
  const pending = new Map<string, Pending>()
  let wrong: number[] = []
  const expire = () => {
    for (const [key, { expiresAt }] of pending) if (now() >= expiresAt) pending.delete(key)
  }
  return {
    ask: (key, what) => {
      expire()
      const existing = pending.get(key)
      if (existing) return existing
      if (pending.size >= MOST) return undefined
      const taken = new Set([...pending.values()].map(({ code }) => code))
      let code = newCode()
      while (taken.has(code)) code = newCode()
      const entry = { code, what, expiresAt: now() + LIFE_MS, isConfirmed: false }
      pending.set(key, entry)
      return entry
    },
    confirm: (typed) => {
      expire()
      wrong = wrong.filter((at) => now() - at < MINUTE_MS)
      if (wrong.length >= MOST_WRONG) return 'limited'
      const code = typed.toUpperCase().replace(/[\s-]/g, '')
      const found = [...pending.values()].find(
        (each) => !each.isConfirmed && each.code.replace('-', '') === code,
      )
      if (!found) {
        wrong.push(now())
        return 'unknown'
      }
      found.isConfirmed = true
      return { what: found.what }
    },
    take: (key) => {
      expire()
      if (!pending.get(key)?.isConfirmed) return false
      pending.delete(key)
      return true
    },
    withdraw: (prefix) => {
      for (const key of pending.keys()) if (key.startsWith(prefix)) pending.delete(key)
    },
  }
}

function newCode(): string {
  const signs = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)])
  return `${signs.slice(0, LENGTH / 2).join('')}-${signs.slice(LENGTH / 2).join('')}`
}
