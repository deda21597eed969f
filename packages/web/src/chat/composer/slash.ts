/** A template or skill that a slash can name. */
export interface SlashItem {
  readonly kind: 'template' | 'skill'
  readonly name: string
  readonly about: string
}

const MOST = 8

/** Returns the text after a leading slash; null if the message does not start with one. */
export const parseSlash = (text: string): string | null => /^\/([^\s/]{0,80})$/.exec(text)?.[1] ?? null

/** Filters by name; names that start with the typed text come first. */
export function findSlashMatches(typed: string, all: readonly SlashItem[]): readonly SlashItem[] {
  const wanted = typed.toLowerCase()
  const at = ({ name }: SlashItem): number => name.toLowerCase().indexOf(wanted)
  return all
    .filter((one) => at(one) >= 0)
    .sort((a, b) => Math.sign(at(a)) - Math.sign(at(b)))
    .slice(0, MOST)
}
