const SEPARATOR = String.raw`(?:\\{1,4}|\\{0,2}/)`
const NAME = String.raw`[^\s\\/:;,*?"'\`<>|()[\]{}$=&]{1,64}`
/** Names on Windows may contain spaces if a folder follows. */
const SPACED = `${NAME}(?: ${NAME}){1,3}(?=${SEPARATOR})`
/** Shared folders next to the users' folders. */
const NOBODY = String.raw`(?!(?:Shared|Public|Default|All Users)\b)`
/**
 * A path begins here: not inside another path or a word, but after an option (`-I/home`), a scheme,
 * or an escaped line end in JSON.
 */
const BEGINS = String.raw`(?:(?<![\w.~/\\-])|(?<=\\[nrtu])|(?<=\bfile://)|(?<=(?<![\w-])-\w))`
const ENDS = String.raw`(?![\w.-])`

const OF_SOMEBODY = [
  `(?:/mnt|/cygdrive)?/[A-Za-z]/Users/${NOBODY}(?:${SPACED}|${NAME})`,
  `(?:/var|/export)?/(?:home|Users)/${NOBODY}${NAME}`,
  String.raw`\\/(?:home|Users)\\/${NOBODY}${NAME}`,
  `(?:/private)?(?:/var)?/root${ENDS}`,
]
const OF_WINDOWS = [
  `[a-z]:${SEPARATOR}(?:Users|Documents and Settings)${SEPARATOR}${NOBODY}(?:${SPACED}|${NAME})`,
]

const ANYONE = new RegExp(`${BEGINS}(?:${OF_SOMEBODY.join('|')})`, 'g')
const WINDOWS = new RegExp(`${BEGINS}(?:${OF_WINDOWS.join('|')})(${SEPARATOR})?`, 'gi')

/** Replaces home folders with `~`, this user's own first. Takes linear time. */
export function homesGeneral(home: string): (text: string) => string {
  const own = ownPattern(home)
  return (text) => {
    const general = own === undefined ? text : text.replace(own, '~')
    return general.replace(WINDOWS, (_, below) => (below ? '~/' : '~')).replace(ANYONE, '~')
  }
}

function ownPattern(home: string): RegExp | undefined {
  const parts = home.split(/[\\/]+/).filter((part) => part !== '')
  if (parts.length === 0) return undefined
  const first = /^[\\/]/.test(home) ? SEPARATOR : ''
  return new RegExp(`${BEGINS}${first}${parts.map(literal).join(SEPARATOR)}${ENDS}`, 'g')
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
