import type { EvidenceTier } from '@panoptes/schema'

/** One stated number with the evidence it refers to. */
export interface ParsedClaim {
  readonly value: string
  readonly evidence_tier: EvidenceTier
  readonly pointer: string
  /** The position of its marker in the text. */
  readonly at: number
}

/** The evidence tiers by their first letter. */
const TIERS: Readonly<Record<string, EvidenceTier>> = { R: 'REAL', F: 'FROM-JOURNAL', E: 'ESTIMATE-HTC' }
const ANY_OPENER = /\[(?:REAL|FROM-JOURNAL|ESTIMATE-HTC):/g
const OPEN = '['.charCodeAt(0)
const CLOSE = ']'.charCodeAt(0)
const VALUE_CHARACTERS = 60
/** Nobody would look up a pointer longer than this. */
const LONGEST_POINTER = 4_096
const MOST_CLAIMS = 10_000
/** Pointers that only mention the marker, such as `…`. */
const NO_POINTER = /^(?:…|\.{2,3})?$/
/** Matches what remains of an empty phrase: a bullet, a table cell, emphasis. */
const NO_PHRASE = /^[\s\-–—*+>|#_~`.,:;/()"']*$/

interface Marker {
  readonly tier: EvidenceTier
  readonly at: number
  /** The position where its pointer begins. */
  readonly from: number
  /** The bracket that balances its opening one, or -1 while there is none. */
  end: number
  /** The last closing bracket before the next marker. */
  lastEnd: number
}

/** Finds every `<phrase> [TIER: pointer]` of a text, in order, in time linear in its length. */
export function readClaims(text: string): readonly ParsedClaim[] {
  const claims: ParsedClaim[] = []
  let close = -1
  ANY_OPENER.lastIndex = 0
  while (claims.length < MOST_CLAIMS) {
    const found = ANY_OPENER.exec(text)
    if (found === null) break
    // Without a closing bracket there are no more claims.
    if (close < found.index) close = text.indexOf(']', found.index)
    if (close < 0) break
    const start = findPhraseStart(text, found.index)
    const { markers, end } = readMarkers(text, found.index)
    addLineClaims(text, start, markers, claims)
    ANY_OPENER.lastIndex = end
  }
  return claims.slice(0, MOST_CLAIMS)
}

/** Returns the start of the line, limited to the longest phrase. */
function findPhraseStart(text: string, at: number): number {
  const farthest = Math.max(0, at - 2 * VALUE_CHARACTERS)
  let start = at
  while (start > farthest && !endsLine(text.charCodeAt(start - 1))) start--
  return start
}

const endsLine = (code: number): boolean => code === 10 || code === 13

/** Reads the markers of a line from the given one on, each with the bracket that ends it. */
function readMarkers(text: string, first: number): { readonly markers: Marker[]; readonly end: number } {
  const markers: Marker[] = []
  const open: { readonly marker: Marker; readonly depth: number }[] = []
  let depth = 0
  let at = first
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPEN) {
      const marker = parseMarker(text, at)
      if (marker !== undefined) {
        markers.push(marker)
        open.push({ marker, depth })
      }
      depth++
    } else if (code === CLOSE) {
      depth = Math.max(0, depth - 1)
      if (open.at(-1)?.depth === depth) (open.pop() as (typeof open)[number]).marker.end = at
      const last = markers.at(-1)
      if (last !== undefined) last.lastEnd = at
    } else if (endsLine(code)) break
  }
  return { markers, end: at }
}

function parseMarker(text: string, at: number): Marker | undefined {
  const tier = TIERS[text[at + 1] ?? '']
  if (tier === undefined || !text.startsWith(`${tier}:`, at + 1)) return undefined
  return { tier, at, from: at + tier.length + 2, end: -1, lastEnd: -1 }
}

function addLineClaims(text: string, start: number, markers: readonly Marker[], claims: ParsedClaim[]): void {
  let phrase = start
  for (const { tier, at, from, end, lastEnd } of markers) {
    // This marker is part of a pointer that ends after it.
    if (at < phrase) continue
    const close = end < 0 ? lastEnd : end
    const value = truncatePhrase(text.slice(phrase, at))
    const pointer = close < 0 ? '' : truncatePointer(text.slice(from, close).trim())
    phrase = close < 0 ? from : close + 1
    if (NO_POINTER.test(pointer) || NO_PHRASE.test(value)) continue
    claims.push({ value, evidence_tier: tier, pointer, at })
    if (claims.length >= MOST_CLAIMS) return
  }
}

function truncatePhrase(phrase: string): string {
  const end = [...phrase.slice(-2 * VALUE_CHARACTERS)].slice(-VALUE_CHARACTERS)
  return end.join('').trim()
}

function truncatePointer(pointer: string): string {
  if (pointer.length <= LONGEST_POINTER) return pointer
  const cut = pointer.slice(0, LONGEST_POINTER)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
