import type { Kind } from './tool-kinds.ts'

/** Words of a first message that tell what tools the work is for. In English, small letters, one each. */
const WORDS: Readonly<Record<Kind, string>> = {
  code: `calculate compute simulate simulation plot chart histogram csv dataset dataframe pandas numpy statistics
    regression notebook python algorithm sum average median percentile aggregate analyse analyze`,
  file: `edit file files folder refactor rename rewrite implement fix typo function class method module component
    readme docstring comment comments config lint types import imports style stylesheet changelog bug`,
  research: `research search google web website url article articles paper papers news latest compare comparison
    documentation docs sources cite citation survey summarise summarize alternatives release releases`,
  terminal: `run install deploy build compile test tests docker container kubernetes kubectl git commit push merge
    rebase branch npm pnpm yarn pip cargo server service restart log logs shell bash terminal command ssh
    port disk cron systemd`,
}

const KIND_OF: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(WORDS) as Kind[]).flatMap((kind) =>
    WORDS[kind].split(/\s+/).map((word): readonly [string, Kind] => [word, kind]),
  ),
)

/** What is no word and tells as much. */
const SIGNS: readonly { readonly sign: RegExp; readonly kind: Kind }[] = [
  { sign: /\bhttps?:\/\/[\w.-]{1,60}/i, kind: 'research' },
  {
    sign: /\b[\w-]{1,60}\.(?:ts|tsx|js|jsx|py|rs|go|java|rb|php|c|h|cpp|css|html|md|json|ya?ml|toml|sh|sql)\b/i,
    kind: 'file',
  },
  { sign: /(?:^|\s)(?:\.{0,2}\/)?(?:src|lib|app|test|tests|docs|packages)\/[\w./-]{1,60}/, kind: 'file' },
  { sign: /^\s{0,8}\$ \S{1,40}/m, kind: 'terminal' },
  { sign: /\bSELECT\b.{1,200}\bFROM\b/i, kind: 'code' },
]

const LONGEST = 4_000

/** What a first message says of each kind of work, in its own words, each once. */
export function kindWords(prompt: string): ReadonlyMap<Kind, readonly string[]> {
  const text = prompt.slice(0, LONGEST)
  const said = new Map<Kind, Set<string>>()
  const add = (kind: Kind, word: string) => said.set(kind, (said.get(kind) ?? new Set()).add(word))
  for (const { sign, kind } of SIGNS) {
    const found = sign.exec(text)?.[0].trim()
    if (found !== undefined) add(kind, found)
  }
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    const kind = KIND_OF.get(word)
    if (kind !== undefined) add(kind, word)
  }
  return new Map([...said].map(([kind, words]) => [kind, [...words]]))
}
