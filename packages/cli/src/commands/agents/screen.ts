const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const REST_OF_LINE = '\x1b[K'
const REST_OF_SCREEN = '\x1b[J'

/** A terminal that shows one picture at a time, and is as it was before when it is left: nothing is drawn after that. */
export interface Screen {
  readonly draw: (lines: readonly string[]) => void
  readonly leave: () => void
}

type Terminal = Pick<NodeJS.WriteStream, 'rows' | 'columns'> & { readonly write: (text: string) => unknown }

export function openScreen(out: Terminal = process.stdout): Screen {
  let open = true
  out.write(ENTER)
  return {
    draw: (lines) => {
      if (!open) return
      const rows = Math.max(2, out.rows ?? 24)
      const fits =
        lines.length <= rows
          ? lines
          : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`]
      const width = Math.max(20, out.columns ?? 80)
      const text = fits.map((line) => cut(line, width) + REST_OF_LINE).join('\r\n')
      out.write(`${HOME}${text}${REST_OF_SCREEN}`)
    },
    leave: () => {
      if (open) out.write(LEAVE)
      open = false
    },
  }
}

/** A line that is too long ends at the edge; colours count for nothing and are closed. */
export function cut(line: string, width: number): string {
  let shown = 0
  let at = 0
  while (at < line.length) {
    const colour = line[at] === '\x1b' ? line.indexOf('m', at) : -1
    if (colour >= 0) at = colour + 1
    else {
      if (shown === width) return `${line.slice(0, at)}\x1b[0m`
      shown += 1
      at += 1
    }
  }
  return line
}
