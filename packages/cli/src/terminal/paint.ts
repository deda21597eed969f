/** Words in colour where colour is wanted, else as they are. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly gold: (text: string) => string
  readonly green: (text: string) => string
  readonly red: (text: string) => string
}

const wrap = (on: string, off: string) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`
const plain = (text: string) => text

const COLOURED: Paint = {
  bold: wrap('1', '22'),
  dim: wrap('2', '22'),
  gold: wrap('33', '39'),
  green: wrap('32', '39'),
  red: wrap('31', '39'),
}
const PLAIN: Paint = { bold: plain, dim: plain, gold: plain, green: plain, red: plain }

interface Wish {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly terminal: boolean
  /** `--no-color` was given. */
  readonly refused: boolean
}

/** No colour with `--no-color`, with any non-empty `NO_COLOR`, on a dumb terminal, or where no terminal is. */
export function paintFor({ env, terminal, refused }: Wish): Paint {
  if (refused || (env.NO_COLOR ?? '') !== '' || !terminal || env.TERM === 'dumb') return PLAIN
  return COLOURED
}
