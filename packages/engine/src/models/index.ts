export { fetchCatalogue, readCatalogue } from './catalogue.ts'
export { createPrices, type OwnPrice, type Prices } from './prices.ts'
