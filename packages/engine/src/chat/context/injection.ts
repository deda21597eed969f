/** Any words between two others within a sentence. */
const GAP = '[^.!?。！？]{0,40}?'
const RULES =
  '(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|constraints?|safeguards?)'

/**
 * Patterns of instructions to the reader. They are general, because an injection rarely repeats the
 * same words.
 */
const SHAPES: readonly RegExp[] = [
  `\\b(?:ignore|disregard|forget|override|overrule|bypass|discard)\\b${GAP}\\b(?:previous|prior|earlier|above|preceding|former|all|any|every|your|system|safety|these|those)\\b${GAP}\\b${RULES}\\b`,
  `\\b(?:do not|don't|stop) (?:follow|obey|heed)(?:ing)?\\b${GAP}\\b${RULES}\\b`,
  `\\b(?:reveal|print|show|repeat|output|leak|disclose|tell me)\\b${GAP}\\b(?:system|hidden|initial|developer|secret) (?:prompt|message|instructions?)\\b`,
  `\\b(?:new|updated|real|actual|following) (?:system )?instructions? (?:for you|from (?:the )?(?:system|developer|admin))`,
  `\\b(?:system|admin|developer|root) (?:override|mode (?:on|enabled|activated))\\b`,
  `\\byou are (?:now|no longer)\\b${GAP}\\b(?:assistant|ai|model|bot|agent|dan|unrestricted|unfiltered|jailbroken|free|bound|limited)\\b`,
  `\\b(?:pretend|act) (?:to be|as if|like)\\b${GAP}\\b(?:no|without) (?:rules|restrictions|limits|filters)\\b`,
  `\\b(?:do anything now|jailbreak mode|developer mode)\\b`,
  `\\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|alert|alerting|notify|notifying|ask|asking)\\b(?: (?:this|that|it) to)? (?:the )?(?:user|human|operator)\\b`,
  `\\b(?:send|post|upload|forward|exfiltrate|e-?mail|transmit)\\b${GAP}\\b(?:api keys?|passwords?|secrets?|tokens?|credentials?|private keys?|ssh keys?|env(?:ironment)? (?:file|variables)|\\.env)\\b`,
  `\\b(?:curl|wget|nc|ncat)\\b[^\\n]{0,120}(?:\\$\\{?\\w{0,40}(?:key|token|secret|passw)|\\.env\\b|id_rsa|id_ed25519|/etc/passwd|\\.aws/credentials)`,
  `\\bcat\\b[^\\n]{0,80}(?:id_rsa|id_ed25519|\\.aws/credentials|\\.netrc)[^\\n]{0,80}\\|`,
  `\\b(?:ignoriere?|missachte|vergiss|verwirf)\\b${GAP}\\b(?:anweisung(?:en)?|regeln?|vorgaben?|instruktionen)\\b`,
  `\\b(?:ignore[rz]?|oublie[rz]?|n[ée]glige[rz]?)\\b${GAP}\\b(?:instructions?|consignes?|r[èe]gles?)\\b`,
  `\\b(?:ignora|olvida|desobedece|descarta|esquece|esqueça|ignore|dimentica)\\b${GAP}\\b(?:instrucciones|reglas|instru[çc][õo]es|regras|istruzioni|regole)`,
  `(?:игнорируй|забудь|не следуй)${GAP}(?:инструкци|указани|правил)`,
  `(?:忽略|无视|無視|忘记|忘掉|不要遵守|不要理会)[^。！？]{0,16}?(?:指令|指示|提示词|提示|规则|規則|说明|命令)`,
  `(?:指示|命令|プロンプト|ルール)[^。！？]{0,10}?(?:無視|忘れ)`,
].map((shape) => new RegExp(shape, 'giu'))

/** Role markers of chat formats. */
const ROLE_MARKS =
  /<(?=\|[\w-]{1,40}\|?>)|<(?=<\/?SYS>>)|\[(?=\/?INST\])|<(?=\/?\s{0,5}(?:system|assistant|user|human|developer|tool_(?:use|call|result)|function_(?:calls?|results?)|invoke|parameter)\b[^<>\n]{0,80}>)/gi

/** Letters of other scripts that look like Latin ones. */
const LIKE_LATIN = new Map(
  'аa еe оo рp сc уy хx іi ѕs јj ԁd һh ӏl αa οo εe ιi κk νv ρp τt υu'
    .split(' ')
    .map(([from = '', to = '']) => [from, to] as const),
)
const MIXED = new RegExp(`[${[...LIKE_LATIN.keys()].join('')}]`, 'gu')

const WITHHELD = '[withheld: it reads like an instruction to you]'

export interface DisarmResult {
  readonly text: string
  /** The number of lines withheld and markers neutralized. */
  readonly disarmed: number
}

/** Withholds lines that read like instructions to a model and neutralizes role markers. */
export function disarm(text: string): DisarmResult {
  let disarmed = 0
  const plain = text.replace(ROLE_MARKS, () => {
    disarmed += 1
    return '‹'
  })
  const lines = plain.split('\n')
  const suspect = findSuspectLines(lines)
  if (suspect.size === 0) return { text: plain, disarmed }
  const safeLines = lines.flatMap((line, at) => {
    if (!suspect.has(at)) return [line]
    return suspect.has(at - 1) ? [] : [WITHHELD]
  })
  return { text: safeLines.join('\n'), disarmed: disarmed + suspect.size }
}

/** Returns the lines that a pattern touches; a match may span several lines. */
function findSuspectLines(lines: readonly string[]): ReadonlySet<number> {
  const starts: number[] = []
  let joined = ''
  for (const line of lines) {
    starts.push(joined.length)
    joined += `${normalizeLine(line)} `
  }
  const found = new Set<number>()
  const scan = (text: string) => {
    for (const shape of SHAPES)
      for (const { index, 0: match } of text.matchAll(shape)) {
        const last = findLine(starts, index + match.length - 1)
        for (let at = findLine(starts, index); at <= last; at += 1) found.add(at)
      }
  }
  scan(joined)
  const latin = joined.replace(MIXED, (letter) => LIKE_LATIN.get(letter) ?? letter)
  if (latin !== joined) scan(latin)
  return found
}

const normalizeLine = (line: string): string =>
  line
    .normalize('NFKC')
    .replace(/\u200c|\u200d|[\u00ad*_`~]/g, '')
    .replace(/[’‘]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()

function findLine(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
