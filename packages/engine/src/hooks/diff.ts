import { structuredPatch } from 'diff'

const CONTEXT_LINES = 3

/** Beyond this many changed lines, the whole text is shown as replaced. */
const MOST_CHANGES = 2_000

/** Returns the changes between two texts as a unified diff; empty when there are none. */
export function unifiedDiff(before: string | null, after: string | null, file: string): string {
  if (before === after) return ''
  const hunks = findHunks(before ?? '', after ?? '', MOST_CHANGES) ?? replaceAll(before ?? '', after ?? '')
  // The library's own header escapes paths that are not plain ASCII.
  const head = [`--- ${before === null ? '/dev/null' : file}`, `+++ ${after === null ? '/dev/null' : file}`]
  return [...head, ...hunks].join('\n')
}

function findHunks(before: string, after: string, maxEditLength: number): readonly string[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES, maxEditLength })
  return patch?.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${formatRange(oldStart, oldLines)} +${formatRange(newStart, newLines)} @@`,
    ...lines,
  ])
}

/** Formats one side of a hunk; an empty side is named by the line before it. */
const formatRange = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`

function replaceAll(before: string, after: string): readonly string[] {
  const changes = [findHunks(before, '', Infinity), findHunks('', after, Infinity)].flatMap(
    (lines) => lines?.slice(1) ?? [],
  )
  const count = (mark: string): number => changes.filter((line) => line.startsWith(mark)).length
  return [`@@ -${formatRange(1, count('-'))} +${formatRange(1, count('+'))} @@`, ...changes]
}
