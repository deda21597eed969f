/** Something that can be named after a slash. */
export interface Named {
  readonly kind: 'template' | 'skill'
  readonly name: string
  readonly about: string
}

const MOST = 8

/** What was typed after a slash at the beginning of a message; null where there is none. */
export const slashIn = (text: string): string | null => /^\/([^\s/]{0,80})$/.exec(text)?.[1] ?? null

/** Those whose name has what was typed: first where it begins with it. */
export function slashMatches(typed: string, all: readonly Named[]): readonly Named[] {
  const wanted = typed.toLowerCase()
  const at = ({ name }: Named): number => name.toLowerCase().indexOf(wanted)
  return all
    .filter((one) => at(one) >= 0)
    .sort((a, b) => Math.sign(at(a)) - Math.sign(at(b)))
    .slice(0, MOST)
}
