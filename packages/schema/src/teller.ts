const BETWEEN = '\u001f'

/** Who tells of sessions: a home of Panoptes on a computer. Two of them may be on computers of one name. */
export const tellerOf = (host: string, home: string | undefined): string =>
  home === undefined ? host : `${host}${BETWEEN}${home}`

export const hostOfTeller = (teller: string): string => teller.split(BETWEEN, 1)[0] ?? teller
