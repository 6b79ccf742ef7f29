// Shows the contract. The page is served at docs/, so the contract is its neighbour, whatever path the service is under.
SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#contract",
  deepLinking: true,
  // Off: it would send the contract's address to a validator on another host.
  validatorUrl: "none",
  // One page has every question of every game: closed at first, with a field to search in.
  docExpansion: "list",
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
});
