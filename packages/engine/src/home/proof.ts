import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Paths } from './paths.ts'
import { realTarget } from './real-path.ts'

export const CHALLENGE_HEADER = 'x-panoptes-challenge'
export const PROOF_HEADER = 'x-panoptes-proof'

export const newChallenge = (): string => randomBytes(24).toString('base64url')

/** What only a process that serves this very home can answer. The home is part of it, so that a copy of one proves nothing. */
export async function proofOfHome({ home }: Paths, token: string, challenge: string): Promise<string> {
  const words = `${challenge}\n${await realTarget(home)}`
  return createHmac('sha256', token).update(words).digest('base64url')
}

export function sameProof(one: string, other: string | null): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other ?? '')]
  return a.length === b.length && timingSafeEqual(a, b)
}
