/** A link from the first few rows to all of them. */
export const moreClass =
  'inline-flex items-center text-12 whitespace-nowrap text-gold-text hover:underline touch:h-11'
