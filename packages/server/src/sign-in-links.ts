import { randomBytes } from 'node:crypto'

const LIFE_MS = 600_000
const MOST = 32

/** Links that sign a browser in. Each works once, for ten minutes; when there are too many, the oldest expires. */
export interface Links {
  readonly make: () => { readonly code: string; readonly expiresAt: number }
  readonly isOpen: (code: string) => boolean
  readonly redeem: (code: string) => boolean
}

export function createLinks(now: () => number = Date.now): Links {
  const open = new Map<string, number>()
  return {
    make: () => {
      const code = randomBytes(24).toString('base64url')
      const expiresAt = now() + LIFE_MS
      open.set(code, expiresAt)
      for (const oldest of open.keys()) {
        if (open.size <= MOST) break
        open.delete(oldest)
      }
      return { code, expiresAt }
    },
    isOpen: (code) => now() <= (open.get(code) ?? Number.NEGATIVE_INFINITY),
    redeem: (code) => {
      const expiresAt = open.get(code)
      open.delete(code)
      return expiresAt !== undefined && now() <= expiresAt
    },
  }
}
