import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Paths } from './paths.ts'
import { realTarget } from './real-path.ts'

export const CHALLENGE_HEADER = 'x-panoptes-challenge'
export const PROOF_HEADER = 'x-panoptes-proof'

export const newChallenge = (): string => randomBytes(24).toString('base64url')

/**
 * Computes the answer that only a process serving this very home can give. The home is part of it, so a copy
 * of the home proves nothing.
 */
export async function proofOfHome({ home }: Paths, token: string, challenge: string): Promise<string> {
  const words = `${challenge}\n${await realTarget(home)}`
  return createHmac('sha256', token).update(words).digest('base64url')
}

export function sameProof(one: string, other: string | null): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other ?? '')]
  return a.length === b.length && timingSafeEqual(a, b)
}
